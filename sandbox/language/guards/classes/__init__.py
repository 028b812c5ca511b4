"""How a guest makes classes, and whose a class is."""
