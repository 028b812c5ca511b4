"""Names and values that the caller and the vault agree on."""

KEY_BYTES = 16  # of a job's key
HALFWAY = 95  # exit status of a process that had no memory left amid a frame
TRIPPED = 96  # exit status of a process that could not say why it was ended

# What a program may say of itself from anywhere: none of it is to its good.
NO_SUCCESS = frozenset(("ERROR", "RECURSION_LIMIT", "MEMORY_LIMIT", "OUTPUT_LIMIT"))
# Of memory or stack. CPython 3.11 may only say that a call failed, when it has no room for a frame.
TOO_LITTLE = (MemoryError, RecursionError, SystemError)
