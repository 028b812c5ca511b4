"""The supervisor and its forker: trusted, slim, and without the bytes of any job."""
