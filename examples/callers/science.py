"""Runs programs over numpy, pandas and matplotlib that a model could have written.

    pip install 'restricted-execution[science]'
    python examples/callers/science.py

The packages are imported once, in the supervisor; each program is a fork that sees the packages'
own files, read-only, and no other file of this machine.
"""

from sandbox import Sandbox

PROGRAMS = {
    "least squares": """
import numpy as np
x = np.arange(5.0)
slope, intercept = np.polyfit(x, 2 * x + 1, 1)
print(round(slope, 6), round(intercept, 6))
""",
    "a table": """
import io, sys
import pandas as pd
sales = pd.read_csv(sys.stdin)
print(sales.groupby("city")["sold"].sum().to_dict())
""",
    "a plot, in memory": """
import io
import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
picture = io.BytesIO()
plt.savefig(picture, format="png")
print(picture.getvalue()[:4])
""",
    "a file of the host": """
import numpy as np
np.loadtxt("/etc/passwd", dtype=str)
""",
}
TABLE = "city,sold\nRome,3\nOslo,1\nRome,2\n"

if __name__ == "__main__":
    with Sandbox("science") as sandbox:
        for name, program in PROGRAMS.items():
            result = sandbox.run(program, TABLE)
            print(f"{name}: {result.status} {result.stdout.strip() or result.error}")
