"""The caller's side: `Sandbox`, what it makes of a call, and its supervisor. Trusted."""
