"""The language layer, in five rooms.

| room | what it does |
|---|---|
| `compile` | per program: parse its text, refuse, put guards in, give a code object |
| `guards` | at run time: decide about attributes, classes, patterns and builtins |
| `guest` | the world that a program enters: namespaces, streams, denials, faults |
| `natives` | methods of CPython's own classes that a guest could turn against the interpreter |
| `stdlib` | stand-ins for standard modules; the catalog of what can be granted |
"""
