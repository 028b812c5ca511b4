"""Bodies of requests and answers: read and made in pieces, in helpers where they are long."""
