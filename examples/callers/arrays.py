"""Runs programs over numpy under the language layer, and one that asks numpy for a file.

    pip install numpy
    python examples/callers/arrays.py

The programs hold no object of numpy's: an array is a number, and what is done with it a question to
an engine that the supervisor made.
"""

from sandbox import Sandbox

PROGRAMS = {
    "a linear system": """
import numpy as np
print(np.linalg.solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0]))
""",
    "the game of life": """
import numpy as np
grid = np.zeros((5, 5), int)
grid[2, 1:4] = 1
near = sum(np.roll(grid, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - grid
print(((near == 3) | (grid & (near == 2))).astype(int))
""",
    "a walk with a seed": """
import numpy as np
print(np.random.default_rng(7).choice([-1, 1], 12).cumsum())
""",
    "a file of the host": """
import numpy as np
np.fromfile("/etc/passwd", dtype=np.uint8)
""",
}

if __name__ == "__main__":
    with Sandbox("contest-numpy") as sandbox:
        for name, program in PROGRAMS.items():
            result = sandbox.run(program)
            print(f"{name}: {result.status}\n{result.stdout or result.error}")
