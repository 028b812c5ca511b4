"""Admission of requests: tokens, the share that a client holds, and the order of turns."""
