"""Numpy for programs under the language layer: a facade of the program's, and an engine of ours.

| file | what it does |
|---|---|
| `asking` | asks the engine, by an event where a supervisor has hidden it |
| `engine` | answers: bounded, by rows of tables, with plain data alone |
| `loading` | brings numpy into a supervisor so that no object leads to it |
| `private` | modules in Python, loaded once more for numpy and the engine alone |
| `rehearsal` | what numpy prepares at a first use |
| `facade` | the texts of the modules that a program imports, and their names |
| `texts` | what of these texts is written by hand: classes of arrays, scalars and dtypes |

A program never holds an object of numpy's. Its arrays are objects of its own around a number, and
an operation is a question with plain data in it. So no attribute of an array, no buffer, no
callback and no special method of the program's meets C code, whatever the facade does: a program
could write the facade itself.
"""
