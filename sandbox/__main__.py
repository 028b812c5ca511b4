"""`python -m sandbox`: the command `sandbox`, where it is not on the path."""

from sandbox.cli import main

if __name__ == "__main__":
    main()
