"""Names and values that the caller and the vault agree on."""

KEY_BYTES = 16  # of a job's key
HALFWAY = 95  # exit status of a process that had no memory left amid a frame
TRIPPED = 96  # exit status of a process that could not say why it was ended
