"""Walks from an object to the globals inside of a format string, where no compiler looks."""


class Settings:
    def __init__(self):
        self.name = "demo"


template = "{0.__init__.__globals__[__builtins__]}"
print(template.format(Settings()))
