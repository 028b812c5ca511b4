"""Sessions on the caller's side: the way to a keeper, one cell's course, and `Session`."""
