"""The making of classes by a guest, and whose a class is."""
