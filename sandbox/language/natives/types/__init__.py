"""Types, classes and namespaces: what C code believes of them."""
