"""The measurement of which layer stops what, alone and when one is missing."""
