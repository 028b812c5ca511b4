"""The search for memory errors of CPython by special methods that undo what C code has begun."""
