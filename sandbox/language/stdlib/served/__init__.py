"""Stand-ins whose work the trusted side does: `sandbox`, and grading."""
