"""Asks for a process of its own."""

import os

os.fork()
print(os.listdir("/"))
