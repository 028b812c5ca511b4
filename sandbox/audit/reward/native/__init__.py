"""Is a reward function so plain that it may run in the trainer itself? An allow-list."""
