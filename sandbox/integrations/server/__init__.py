"""`sandbox serve`: the sandbox over HTTP, for trainers on other machines."""
