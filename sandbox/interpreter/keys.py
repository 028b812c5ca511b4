"""What the caller and the vault agree on."""

KEY_BYTES = 16  # of a job's key
TRIPPED = 96  # exit status of a process that could not say why it was ended
