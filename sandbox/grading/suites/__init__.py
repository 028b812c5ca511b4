"""Tests as people write them: files for pytest and unittest, run beside the program, not in it.

| module | what it knows |
|---|---|
| `reading` | the forms of data sets whose tests are files |
| `policy` | what the child runs under that pytest runs in |
| `run` | one run: a child for pytest, one for the program, and what passes between them |
| `tests_child` | the text of the child that pytest runs in, made of these parts |
| `tests_objects` | what an object of the program's is asked there, and what is believed |
| `tests_classes` | the program's classes and exceptions there |
| `tests_module` | the program as a module there |
| `tests_given` | what the program may ask of what a test gave it |
| `tests_shared` | what both sides share: output, files, what a test replaces |
| `tests_pytest` | pytest over files in memory, each test reported |
| `program_child` | the text that runs after the program in its child, made of these parts |
| `program_told` | what the program gives: values, classes, exceptions, itself |
| `program_given` | what a test gave: handles |
| `program_shared` | what both sides share, there |
"""
