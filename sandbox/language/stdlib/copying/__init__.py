"""A stand-in for `copy`: by a table of classes."""
