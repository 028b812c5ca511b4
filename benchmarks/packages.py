"""Programs over packages under `science`, beside `python -c` with the same program, in one run.

    python -m benchmarks.packages [--runs N] [--json]

Numpy is there once more, as `contest-numpy` has it, under the language layer. Each package has
two sandboxes: one whose policy grants it alone (with what it depends on), and one for all of
`science`. Cold is from nothing to the first result. Warm is a run in an open sandbox, one after
the other with a child ready; the rate is that of one worker with programs back to back. The two
are interleaved with `python -c`, so that a change of the machine's pace meets all alike.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from sandbox import Job, Policy, Sandbox

# Package: (what its policy keeps, a program with its import).
PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "print": ((), "print(1)"),
    "numpy": (("numpy",), "import numpy as np\nprint(np.arange(10).sum())"),
    "pandas": (
        ("numpy", "pandas", "tzdata"),
        "import pandas as pd\n"
        "print(pd.DataFrame({'a': [1, 2, 3], 'b': list('xyx')}).groupby('b').sum())",
    ),
    "scipy": (
        ("numpy", "scipy"),
        "from scipy import optimize\nprint(round(optimize.brentq(lambda x: x * x - 2, 0, 2), 6))",
    ),
    "sympy": (
        ("sympy", "mpmath"),
        "import sympy\nx = sympy.symbols('x')\nprint(sympy.factor(x**4 - 1))",
    ),
    "networkx": (
        ("networkx",),
        "import networkx as nx\nprint(nx.shortest_path(nx.path_graph(5), 0, 4))",
    ),
    "scikit-learn": (
        ("numpy", "scipy", "scikit-learn"),
        "from sklearn.linear_model import LinearRegression\n"
        "print(LinearRegression().fit([[1.0], [2.0], [3.0]], [2, 4, 6]).coef_.round(3))",
    ),
    "matplotlib": (
        ("numpy", "matplotlib", "pillow"),
        "import io\nimport matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "plt.plot([1, 2, 3])\nfile = io.BytesIO()\nplt.savefig(file)\nprint(file.tell() > 0)",
    ),
}
EMPTY = "pass"
RESTRICTED = "numpy: contest-numpy"


def policy_for(kept: tuple[str, ...]) -> Policy:
    """Return `science` with the packages `kept` alone."""
    science = Policy.load("science")
    packages = [grant for grant in science.packages if grant.name in kept]
    return science.replaced(name="science-of-few", packages=packages)


def measure(name: str, everything: Sandbox, runs: int) -> dict[str, Any]:
    """Return the figures of one package, times in seconds."""
    kept, program = PROGRAMS[name.partition(":")[0]]
    policy = Policy.load("contest-numpy") if name == RESTRICTED else policy_for(kept)
    begun = time.perf_counter()
    with Sandbox(policy, workers=1) as few:
        expected = _output(few, program)
        cold = time.perf_counter() - begun
        ways: dict[str, Callable[[], str]] = {
            "warm": lambda: _output(few, program),
            "empty": lambda: _output(few, EMPTY),
            "science": lambda: _output(everything, program),
            "python": lambda: _python(program),
        }
        times: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(runs):
            for way, act in ways.items():
                if way != "python" or number < max(runs // 5, 3):
                    times[way].append(_timed(act, "" if way == "empty" else expected))
        begun = time.perf_counter()
        assert all(result.ok for result in few.map(Job(program) for _ in range(runs)))
        rate = runs / (time.perf_counter() - begun)
        resident = few._terms.setting.resident_bytes
    figures = {way: median(taken) for way, taken in times.items()}
    return {
        "cold": cold,
        **figures,
        "rate": rate,
        "resident_bytes": resident,
        "times_faster": figures["python"] / figures["warm"],
        "over_empty": figures["warm"] / figures["empty"],
    }


def _output(sandbox: Sandbox, program: str) -> str:
    result = sandbox.run(program)
    assert result.ok, result.error
    return result.stdout


def _python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _timed(act: Callable[[], str], expected: str) -> float:
    time.sleep(0.02)  # for the next child to be ready
    begun = time.perf_counter()
    answer = act()
    taken = time.perf_counter() - begun
    assert answer == expected, answer
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=25, help="runs of each program")
    parser.add_argument("--json", action="store_true", help="print plain data")
    options = parser.parse_args()
    with Sandbox("science", workers=1) as everything:
        found = {name: measure(name, everything, options.runs) for name in _named()}
        whole = everything._terms.setting.resident_bytes
    if options.json:
        print(json.dumps({"packages": found, "science_resident_bytes": whole}, indent=2))
        return
    table = Table(title=f"science: {whole >> 20} MiB resident with all packages")
    heads = ("program", "cold s", "warm ms", "empty ms", "in science ms", "per s", "python -c ms")
    for head in (*heads, "times", "MiB"):
        table.add_column(head, justify="left" if head == "program" else "right")
    for name, row in found.items():
        times = [f"{row[key] * 1000:.1f}" for key in ("warm", "empty", "science")]
        table.add_row(
            *(name, f"{row['cold']:.2f}", *times, f"{row['rate']:.0f}"),
            *(f"{row['python'] * 1000:.0f}", f"{row['times_faster']:.0f}"),
            f"{row['resident_bytes'] >> 20}",
        )
    Console().print(table)


def _named() -> list[str]:
    found = [name for name in PROGRAMS if _has(name)]
    return [*found, RESTRICTED] if "numpy" in found else found


def _has(name: str) -> bool:
    from importlib.util import find_spec

    module = {"scikit-learn": "sklearn", "print": "sys"}.get(name, name)
    return find_spec(module) is not None


if __name__ == "__main__":
    main()
