"""Which layer stops what, alone and when one is missing."""
