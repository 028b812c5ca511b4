"""What is built is what a user needs: installed into a clean environment, it does the main job."""

import codecs
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

codecs.lookup("cp437")  # of zip files: once tests built a world, this process loads no codec
pytestmark = pytest.mark.xdist_group("packaging")  # the wheel is built and installed once
ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("docs", "examples", "tests", "benchmarks", "scripts")
MAIN_JOB = """
import sandbox, sandbox.fuzz
from sandbox.policy.files.loader import shipped
from sandbox import Policy, restricted_execution
print(sandbox.__file__)
assert [Policy.load(name).name for name in shipped()] == list(shipped())
from sandbox.audit.report.html import to_html
assert to_html([]).startswith("<!doctype html>")
assert restricted_execution("print(input() * 2)", "ab\\n") == ("abab\\n", "")
output, error = restricted_execution("import os", "")
assert output == "" and "os" in error, error
print(restricted_execution("import math\\nprint(math.lcm(4, 6))", "", policy="contest")[0])
"""


def python(executable: Path, *arguments: str, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(executable), *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(name="source", scope="module")
def _source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources: a build leaves traces beside them."""
    source = tmp_path_factory.mktemp("source")
    for name in tracked():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    return source


@pytest.fixture(name="wheel", scope="module")
def _wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    python(
        Path(sys.executable), "-m", "build", "--wheel", "-o", str(folder), str(source), cwd=folder
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def tracked() -> Iterator[str]:
    """The files that a build takes its contents from."""
    yield from ("pyproject.toml", "MANIFEST.in", "LICENSE")
    yield from (path.name for path in ROOT.glob("*.md"))
    for folder in ("sandbox", "restricted_execution", "policies", "fuzz", *BESIDE):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and not {"__pycache__", ".ruff_cache"} & set(path.parts):
                yield str(path.relative_to(ROOT))


@pytest.fixture(name="clean", scope="module")
def _clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel and what it depends on, nothing else."""
    return environment(tmp_path_factory.mktemp("clean"), str(wheel))


def environment(folder: Path, *requirements: str) -> Path:
    """Made with the pip of this one: an environment needs none of its own."""
    ours, executable = Path(sys.executable), folder / "bin" / "python"
    python(ours, "-m", "venv", "--without-pip", str(folder), cwd=folder)
    pip = ["-m", "pip", "--python", str(executable), "install", "--no-compile"]
    python(ours, *pip, "--quiet", "--disable-pip-version-check", *requirements, cwd=folder)
    return executable


def test_the_source_distribution_has_documents_examples_and_tests(
    source: Path, tmp_path: Path
) -> None:
    python(
        Path(sys.executable),
        "-m",
        "build",
        "--sdist",
        "-o",
        str(tmp_path),
        str(source),
        cwd=tmp_path,
    )
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert not set(tracked()) - names
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_metadata_has_the_readme_and_no_address_but_a_public_one(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    assert (
        metadata["Version"]
        == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    )
    assert metadata["Description-Content-Type"] == "text/markdown"
    for url in metadata.get_all("Project-URL", []):
        assert re.fullmatch(r"\w[\w ]*, https://[\w.-]+\.[a-z]+/\S*", url)


def test_the_wheel_is_pure_and_has_the_policies_the_fuzzer_and_the_type_marker(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert wheel.name.endswith("-py3-none-any.whl")
    shipped = {f"sandbox/policies/{path.name}" for path in (ROOT / "policies").glob("*.toml")}
    fuzz = ROOT / "fuzz"
    parts = [*fuzz.rglob("*.py"), *fuzz.glob("corpus/*.toml")]
    modules = {f"sandbox/fuzz/{path.relative_to(fuzz)}" for path in parts}
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "sandbox").rglob("*.py")}
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "sandbox/pages").glob("*.*")}
    missing = (shipped | modules | sources | pages | {"sandbox/py.typed"}) - names
    assert shipped
    assert not missing


def test_the_wheel_has_nothing_that_is_no_part_of_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "sandbox",
        "restricted_execution",
    }


def test_the_installed_wheel_does_the_main_job_away_from_the_checkout(
    clean: Path, tmp_path: Path
) -> None:
    printed = python(clean, "-c", MAIN_JOB, cwd=tmp_path).splitlines()
    assert Path(printed[0]).is_relative_to(clean.parents[1])
    assert printed[1] == "12"


def test_another_sandbox_in_the_way_is_passed_by_with_the_second_name(
    clean: Path, tmp_path: Path
) -> None:
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox/__init__.py").write_text("raise RuntimeError('the wrong one')")
    job = "from restricted_execution import Sandbox, grade, restricted_execution\n"
    job += "from restricted_execution.integrations.trl import CodeReward\n"
    job += "tests = {'inputs': [''], 'outputs': ['1']}\n"
    job += "print(restricted_execution('print(6 * 7)')[0], grade('print(1)', tests).score)"
    assert python(clean, "-c", job, cwd=tmp_path) == "42\n 1.0\n"


def test_the_installed_command_runs(clean: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print(sum(range(10)))")
    assert python(clean.with_name("sandbox"), "run", "program.py", cwd=tmp_path) == "45\n"


def test_an_editable_install_finds_the_policies_from_anywhere(source: Path, tmp_path: Path) -> None:
    executable = environment(tmp_path, "--editable", str(source))
    for folder in (tmp_path, source):
        printed = python(executable, "-c", MAIN_JOB, cwd=folder).splitlines()
        assert Path(printed[0]).is_relative_to(source / "sandbox")
        assert printed[1] == "12"
