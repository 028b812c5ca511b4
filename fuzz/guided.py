"""Coverage-guided fuzzing of the parsers with atheris, which the extra `guided` brings.

Each harness runs in a process of its own: atheris never returns, and a parser that is broken may
take its process with it. `python -m fuzz.guided HARNESS SECONDS SEED FOLDER` is that process.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox import SandboxError

_GRACE_SECONDS = 60
_STATS = re.compile(r"^#(\d+)\s+\w+\s+cov: (\d+)", re.MULTILINE)


def check_available() -> None:
    """Raises SandboxError where atheris is not installed."""
    if importlib.util.find_spec("atheris") is None:
        raise SandboxError(
            "--guided needs atheris: pip install 'restricted-execution[guided]' (no Python 3.14)"
        )


def run(name: str, seconds: int, seed: int) -> tuple[str, str]:
    """Fuzz one harness for so long: what came of it, and the input that broke it, if one did."""
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


def main(name: str, seconds: str, seed: str, folder: str) -> None:
    """Fuzz `name` in this process until the time is up or it breaks."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["sandbox", "RestrictedPython"]):
        from .harnesses import HARNESSES, SEEDS
    corpus = Path(folder) / "seeds"
    corpus.mkdir()
    for number, data in enumerate(SEEDS.get(name, (b"x = 1\nprint(x.real)\n",))):
        (corpus / str(number)).write_bytes(data)
    options = [f"-max_total_time={seconds}", f"-seed={int(seed) + 1}", "-timeout=20"]
    limits = ["-rss_limit_mb=1024", "-max_len=4096", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], str(corpus), *options, *limits], HARNESSES[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:5])
