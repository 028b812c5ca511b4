"""A stand-in for `asyncio`: one thread, no descriptors, and time that sleeping moves on."""
