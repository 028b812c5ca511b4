"""How a state of a session forks, and the system calls of states and keepers."""
