"""Classes of CPython whose C code trusts what a guest's special methods do while it runs.

Each file has the methods of one family, written so that no state is held while guest code runs, and
`harden` puts them in the place of CPython's own, in the class itself: whatever way leads to an
instance, there is no other method to be had.
"""
