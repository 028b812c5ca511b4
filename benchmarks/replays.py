"""Count programs that give the same bytes again, under a deterministic policy and without.

    python -m benchmarks.replays [--programs 1000] [--policy contest] [--without]

Each program runs in six situations: twice in one supervisor, the second time in another order; in
another supervisor; compiled beforehand by another child; from another caller process with other
environment variables, arguments and working directory; and with a copy of Python and the package at
another path, without compiled files, as another user where this one is root. Compared are the
status, what was printed, the error and the traceback. `--without` leaves the option out: what is
then equal is what does not look at the machine.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.replay_programs import program
from sandbox import Job, Policy, Result, Sandbox

_ROOT = Path(__file__).parents[1]
_NOBODY = 65534
Digests = dict[int, str]  # by seed


@dataclass(frozen=True, slots=True)
class Situation:
    """The place and manner in which programs run; `passes` are their orders, in one supervisor."""

    name: str
    passes: tuple[int, ...] = (0,)
    compiled: bool = False
    abroad: bool = False
    copied: bool = False


SITUATIONS = (
    Situation("in one supervisor, twice", passes=(0, 1)),
    Situation("in another supervisor", passes=(2,)),
    Situation("compiled by another child", passes=(3,), compiled=True),
    Situation("from another caller, environment and folder", passes=(4,), abroad=True),
    Situation(
        "with a copy of all elsewhere, as another user", passes=(5,), abroad=True, copied=True
    ),
)


def digest(result: Result) -> str:
    """Return a digest of all that a deterministic policy promises."""
    told = (result.status.value, result.output, result.stdout, result.error, result.traceback)
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def digests(policy: Policy, seeds: Iterable[int], situation: Situation) -> list[Digests]:
    """Run the programs of `seeds` in `situation`; return one table of digests for each pass."""
    tables = []
    with Sandbox(policy, workers=2) as sandbox:
        for order in situation.passes:
            shuffled = list(seeds)
            random.Random(order).shuffle(shuffled)
            texts = [program(seed) for seed in shuffled]
            if situation.compiled:
                results = [sandbox.run_many(text, [""])[0] for text in texts]
            else:
                results = list(sandbox.map(map(Job, texts)))
            tables.append(dict(zip(shuffled, map(digest, results), strict=True)))
    return tables


def elsewhere(policy: str, with_option: bool, seeds: range, situation: Situation) -> list[Digests]:
    """Make these tables in a process of its own, as `situation` says."""
    request = {
        "policy": policy,
        "with_option": with_option,
        "seeds": [seeds.start, seeds.stop],
        "situation": SITUATIONS.index(situation),
    }
    words = ["-m", "benchmarks.replays", "--request", json.dumps(request)]
    with tempfile.TemporaryDirectory(prefix="replays-at-quite-another-path-") as folder:
        python, environment, user = sys.executable, {**os.environ, "PYTHONPATH": str(_ROOT)}, None
        if situation.abroad:
            words += ["padding" * 50] * 20
            environment = {"PYTHONPATH": str(_ROOT), **_STRANGE}
        if situation.copied:
            python, environment = copied(Path(folder, "a", "copy"))
            environment |= _STRANGE
            user = _NOBODY if os.getuid() == 0 else None
            subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        done = subprocess.run(
            [python, *words],
            env=environment,
            cwd=folder if situation.abroad else _ROOT,
            capture_output=True,
            text=True,
            user=user,
            group=user,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [{int(seed): told for seed, told in table.items()} for table in json.loads(done.stdout)]


_STRANGE = {"TZ": "Asia/Tokyo", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "77", "PAD": "x" * 5000}


def copied(root: Path) -> tuple[str, dict[str, str]]:
    """Copy this Python and what it needs, without compiled files; return path and environment."""
    library = Path("lib", f"python{sys.version_info.major}.{sys.version_info.minor}")
    left_out = shutil.ignore_patterns("__pycache__", "test", "site-packages", "config-3*")
    shutil.copytree(Path(sys.base_prefix, library), root / library, ignore=left_out)
    (root / "bin").mkdir()
    python = root / "bin" / library.name
    shutil.copy(os.path.realpath(sys.executable), python)
    for shared in Path(str(sysconfig.get_config_var("LIBDIR"))).glob("libpython*.so*"):
        shutil.copy(shared, root / "lib")
    for name in {name.partition(".")[0] for name in sys.modules}:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if "site-packages" in file and Path(file).name == "__init__.py":
            shutil.copytree(Path(file).parent, root / "packages" / name, ignore=left_out)
        elif "site-packages" in file:
            (root / "packages").mkdir(exist_ok=True)
            shutil.copy(file, root / "packages")
    for name in ("sandbox", "policies", "benchmarks"):
        shutil.copytree(_ROOT / name, root / "packages" / name, ignore=left_out)
    return str(python), {
        "PYTHONPATH": str(root / "packages"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": str(root / "lib"),
    }


def chosen(policy: str, with_option: bool) -> Policy:
    """Return the policy by name, with the option or without."""
    return Policy.load(policy).replaced(deterministic=with_option)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--policy", default="contest")
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--request", help=argparse.SUPPRESS)
    parser.add_argument("padding", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.request:
        asked = json.loads(given.request)
        policy = chosen(asked["policy"], asked["with_option"])
        told = digests(policy, range(*asked["seeds"]), SITUATIONS[asked["situation"]])
        print(json.dumps(told))
        return
    first: Digests = {}
    differing: set[int] = set()
    for situation in SITUATIONS:
        tables = elsewhere(given.policy, not given.without, range(given.programs), situation)
        first = first or tables[0]
        other = {seed for table in tables for seed in first if table[seed] != first[seed]}
        differing |= other
        print(f"{situation.name}: {len(first) - len(other)} of {len(first)} equal", flush=True)
    print(f"in all: {len(first) - len(differing)} of {len(first)} equal")
    if differing:
        print(f"others: seeds {sorted(differing)[:20]}")
    sys.exit(bool(differing) and not given.without)


if __name__ == "__main__":
    main()
