"""The child, which holds untrusted code: what it gives up, runs and tells."""
