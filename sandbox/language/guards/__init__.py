"""Run-time guards: they decide about attributes, classes, patterns and builtins for a guest."""
