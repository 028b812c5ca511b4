"""How a program ends, and what is said of it."""
