"""Functions, generators and proxies: what C code lends while it calls."""
