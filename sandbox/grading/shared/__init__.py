"""Texts, of both children, for what a test file and a program share as if in one process."""
