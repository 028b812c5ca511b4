"""Fuzzing of the sandbox; shipped as `sandbox.fuzz`."""
