"""Taking native powers out of a process, and counting what is left."""
