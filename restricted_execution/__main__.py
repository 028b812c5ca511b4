"""`python -m restricted_execution`: the command `sandbox`, whatever is on the path."""

from sandbox.cli import main

if __name__ == "__main__":
    main()
