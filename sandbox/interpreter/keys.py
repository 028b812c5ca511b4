"""The key of a job: how long it is."""

KEY_BYTES = 16
