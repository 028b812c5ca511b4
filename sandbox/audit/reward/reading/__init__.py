"""The static part of the gate: a source text is read, and nothing of it is run."""
