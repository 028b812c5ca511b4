"""The file system of a program: a tree in the child's memory, and the files that are open in it."""
