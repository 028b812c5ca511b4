"""Asks for the operating system."""

import os

print(os.listdir("/"))
