"""Stand-ins for `threading`, `queue`, `concurrent.futures`, `asyncio`: all of it in one thread."""
