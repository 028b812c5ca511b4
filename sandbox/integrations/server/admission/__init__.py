"""Who may come in, how much a client holds, and whose turn it is."""
