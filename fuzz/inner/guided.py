"""Coverage-guided fuzzing of parsers, compiler and guards with atheris, of the extra `guided`.

Each harness runs in a process of its own: atheris never returns, and a parser that is broken may
take its process with it. `python -m fuzz.inner.guided HARNESS SECONDS SEED FOLDER` is that process.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sandbox import SandboxError

# The caller's parsers, then the language layer's compiler and guards.
GUIDED = ("frames", "final", "value", "policy", "result", "program", "guards")
_INSIDE = ("program", "guards")
_GRACE_SECONDS = 60
_STATS = re.compile(r"^#(\d+)\s+\w+\s+cov: (\d+)", re.MULTILINE)


def check_available() -> None:
    """Check that atheris is installed. Raises SandboxError where it is not."""
    if importlib.util.find_spec("atheris") is None:
        raise SandboxError(
            "--guided needs atheris: pip install 'restricted-execution[guided]' (no Python 3.14)"
        )


def run(name: str, seconds: int, seed: int) -> tuple[str, str]:
    """Fuzz one harness for so many `seconds`.

    Return what came of it, and the input that broke it, if one did.
    """
    with tempfile.TemporaryDirectory(prefix="guided-") as folder:
        done = subprocess.run(
            [sys.executable, "-m", __name__, name, str(seconds), str(seed), folder],
            cwd=Path(__file__).parents[__name__.count(".")],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds + _GRACE_SECONDS,
            check=False,
        )
        crashes = sorted(Path(folder).glob("crash-*")) + sorted(Path(folder).glob("timeout-*"))
        crash = repr(crashes[0].read_bytes()) if crashes else ""
    stats = _STATS.findall(done.stderr)
    runs, coverage = stats[-1] if stats else ("0", "0")
    told = f"{runs} runs, {coverage} edges"
    if done.returncode and not crash:
        lines = done.stderr.strip().splitlines()
        told = f"could not run: {lines[-1] if lines else done.returncode}"
    return told, crash


def run_all(seconds: float, seed: int) -> Iterator[tuple[str, str, str]]:
    """Fuzz every harness in turn, in so many seconds; yield its name and what `run` says of it."""
    for name in GUIDED:
        yield name, *run(name, max(int(seconds / len(GUIDED)), 1), seed)


def main(name: str, seconds: str, seed: str, folder: str) -> None:
    """Fuzz `name` in this process until the time is up or it breaks."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["sandbox", "RestrictedPython"]):
        from . import harnesses, inside
    own = inside.HARNESSES if name in _INSIDE else harnesses.HARNESSES
    seeds = inside.seeds(name) if name in _INSIDE else harnesses.SEEDS[name]
    corpus = Path(folder) / "seeds"
    corpus.mkdir()
    for number, data in enumerate(seeds):
        (corpus / str(number)).write_bytes(data)
    options = [f"-max_total_time={seconds}", f"-seed={int(seed) + 1}", "-timeout=20"]
    limits = ["-rss_limit_mb=1024", "-max_len=4096", f"-artifact_prefix={folder}/"]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return inside.mutated(name, data, most, seed, atheris.Mutate)

    chosen = {"custom_mutator": mutate} if name == "program" else {}
    atheris.Setup([sys.argv[0], str(corpus), *options, *limits], own[name], **chosen)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:5])
