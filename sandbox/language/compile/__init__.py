"""From the text of a program to a code object that may be run: the dialect and its rewriting."""
