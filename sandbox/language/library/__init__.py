"""Modules of the standard library that run as the program's own code.

| file | what it does |
|---|---|
| `served` | the table: which modules, what each needs, which names are other ones here |
| `names` | what of each can be granted: a part of the catalog |
| `reading` | the supervisor reads their texts, before there is no file system any more |
| `lenient` | the dialect for them: what a program may not write is refused when it is reached |
| `loading` | their import, in the child, when a program first asks for one |
| `lent` | what they are lent besides: the program's names, a function's parameters, a prompt |
| `texts` | what is put in the place of parts of theirs, or of modules that they import |

Such a module has no more power than the program: its text comes from the interpreter's library and
is compiled under the policy, with every guard, so that what its functions are given, read, store
and call meets the same looks. Its classes are a program's classes. So no line of it is trusted, and
a program that finds a way to misuse one has found nothing that it could not write itself.
"""
