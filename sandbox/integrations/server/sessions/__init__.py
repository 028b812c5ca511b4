"""Sessions of clients: whose each is, how many there may be, what is asked of one."""
