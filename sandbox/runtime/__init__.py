"""Caller, supervisor and child, and the messages between them."""
