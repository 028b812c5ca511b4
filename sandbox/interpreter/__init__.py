"""The layer `interpreter`: whoever leaves the language layer finds nothing worth reaching.

| module | what it does |
|---|---|
| `asking` | the few functions through which our own code asks for a native power |
| `vault` | an audit hook that holds those powers, ends a program that trips it, says the last word |
| `events` | what the interpreter may announce while a program runs, each with its reason |
"""
