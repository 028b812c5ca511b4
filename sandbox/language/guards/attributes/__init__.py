"""The attributes that a guest reads and writes: looked up once, judged by owner."""
