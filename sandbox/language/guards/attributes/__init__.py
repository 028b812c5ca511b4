"""What a guest reads and writes of an object: looked up once, judged by owner."""
