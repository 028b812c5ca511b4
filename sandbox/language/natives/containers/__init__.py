"""Containers and iterators: what C code holds of them while a guest is asked anything."""
