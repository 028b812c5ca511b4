"""A private file system in memory, one per child.

| module | what it knows |
|---|---|
| `mounting` | how a child gets it: a tmpfs in a mount namespace of its own |
| `calls` | the system calls that file work needs, beside those of a child that only reads |
"""
