"""Private names of the host classes that a guest can reach: reading one needs a look at the object."""

HOST_PRIVATE: frozenset[str] = frozenset("""_convert_""".split())
