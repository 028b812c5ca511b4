"""`sandbox repl`: a prompt over a session."""
