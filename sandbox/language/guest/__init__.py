"""The world of a guest: what it is built of, how a program enters it, what is said of its end."""
