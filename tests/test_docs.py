"""The documents say what the code does."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer.main

import sandbox
from sandbox import Policy, Result, Sandbox, Status
from sandbox.cli import EXIT_CODES, FAULT_CODES, app
from sandbox.policy.layers import LAYERS
from sandbox.policy.loader import shipped

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(command: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Every leaf of the tree, with its full name."""
    below = getattr(command, "commands", None)
    if below is None:
        yield prefix, command
        return
    for name, each in below.items():
        yield from commands(each, f"{prefix} {name}")


COMMANDS = dict(commands(typer.main.get_command(app), "sandbox"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme_with_its_options(name: str) -> None:
    rows = [line for line in README.splitlines() if line.startswith(f"| `{name}")]
    assert rows, f"{name} is not documented"
    options = {option for each in COMMANDS[name].params for option in each.opts}
    long = {option for option in options if option.startswith("--")} - {"--help"}
    assert all(option in rows[0] for option in long), f"{long} in {rows[0]}"


def test_the_readme_has_no_command_that_does_not_exist() -> None:
    told = re.findall(r"^\| `(sandbox [a-z]+(?: [a-z]+)?)", README, re.MULTILINE)
    assert set(told) == set(COMMANDS)


@pytest.mark.parametrize("name", sandbox.__all__)
def test_every_public_name_is_in_the_readme(name: str) -> None:
    assert re.search(rf"\b{name}\b", README)
    assert getattr(sandbox, name) is not None


@pytest.mark.parametrize("status", Status)
def test_every_status_is_in_the_readme_with_its_exit_code(status: Status) -> None:
    (row,) = re.findall(rf"^\| `{status}` \|.*\| (\d+) \|$", README, re.MULTILINE)
    assert int(row) == EXIT_CODES[status]


def test_every_exit_code_of_a_fault_is_in_the_readme() -> None:
    (paragraph,) = re.findall(r"^Exit codes beside.*?\n\n", README, re.MULTILINE | re.DOTALL)
    for kind, code in FAULT_CODES.items():
        assert re.search(rf"\b{code}\b[^,]*\(`{kind.__name__}`\)", paragraph, re.DOTALL)


@pytest.mark.parametrize("field", [field.name for field in fields(Result)])
def test_every_field_of_a_result_is_in_the_readme(field: str) -> None:
    assert re.search(rf"^\|[^|]*`{field}`", README, re.MULTILINE)


def test_every_method_of_a_sandbox_is_in_the_readme() -> None:
    for name in (name for name in vars(Sandbox) if not name.startswith("_")):
        assert re.search(rf"`{name}[(`]", README), name


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_has_a_row_in_the_readme_and_in_the_threat_model(layer: str) -> None:
    for text in (README, SECURITY):
        assert re.search(rf"^\| `{layer}` \|", text, re.MULTILINE)


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_policy_is_in_the_readme(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", README, re.MULTILINE)


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_the_python_in_the_readme_runs(number: int, tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(blocks("python")[number], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_policies_in_the_readme_are_valid(text: str) -> None:
    assert Policy.from_toml(text).name == tomllib.loads(text)["name"]


def test_what_the_readme_links_to_exists() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README + SECURITY)
    assert targets
    assert all((ROOT / target).exists() for target in targets)


def test_the_changelog_names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{version}]" in changelog or "## [Unreleased]" in changelog
