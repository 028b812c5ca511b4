"""The end of a program, and what is said of it."""
