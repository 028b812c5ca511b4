"""What counts as an escape, and what is kept of one."""
