"""Walks the same way inside of a format string, where the compiler sees no attribute."""

template = "{0.__class__.__mro__[1].__subclasses__}"
print(template.format(()))
