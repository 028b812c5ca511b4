"""The layer `interpreter`: a guest that leaves the language layer finds nothing worth reaching.

| module | what it does |
|---|---|
| `asking` | the few functions through which our own code asks for a native power |
| `vault` | an audit hook that holds those powers and ends the process that trips it |
| `builders` | forgets the functions that built the vault |
| `pipes` | its part that takes the job, holds the job's key and says the last word |
| `frames` | its part that tells what is in a frame, and never gives one |
| `events` | what may happen in an interpreter while a program runs, with reasons |
| `library` | stand-ins for what the standard library itself needs of those powers |
"""
