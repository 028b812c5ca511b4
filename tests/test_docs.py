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
from sandbox.job import FIELDS, OPTIONS
from sandbox.policy.files.loader import shipped
from sandbox.policy.layers import LAYERS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
}
README, SECURITY = PAGES["README.md"], PAGES["SECURITY.md"]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a block may be. Python runs, and TOML is a policy, unless the block says otherwise.
KINDS = {"python", "python not-run", "toml", "sh", "ini", "json", "text", "{toctree}", "{eval-rst}"}
OF_OTHERS = {"sandbox/utils/testing.py"}  # of SandboxFusion
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[\w-]+\]: (\S+)$", re.MULTILINE)


def blocks(kind: str) -> list[Any]:
    return [
        pytest.param(text, id=f"{name}-{number}")
        for name, page in PAGES.items()
        for number, (of, text) in enumerate(BLOCK.findall(page))
        if of == kind
    ]


def links(page: str) -> list[str]:
    """Where `page` links to, without what only looks like a link in its code."""
    prose = re.sub(r"`[^`\n]+`", "", BLOCK.sub("", page))
    return ["".join(found) for found in LINK.findall(prose)]


def commands(command: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Every leaf of the tree, with its full name."""
    below = getattr(command, "commands", None)
    if below is None:
        yield prefix, command
        return
    for name, each in below.items():
        yield from commands(each, f"{prefix} {name}")


COMMANDS = dict(commands(typer.main.get_command(app), "sandbox"))


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.splitlines()) <= 160


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_its_options(name: str) -> None:
    lines = PAGES["docs/command-line.md"].splitlines()
    rows = [line for line in lines if line.startswith(f"| `{name}")]
    assert rows, f"{name} is not documented"
    options = {option for each in COMMANDS[name].params for option in each.opts}
    long = {option for option in options if option.startswith("--")} - {"--help"}
    assert all(option in rows[0] for option in long), f"{long} in {rows[0]}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    page = PAGES["docs/command-line.md"]
    told = re.findall(r"^\| `(sandbox [a-z]+(?: [a-z]+)?)", page, re.MULTILINE)
    assert set(told) == set(COMMANDS)


@pytest.mark.parametrize("name", sandbox.__all__)
def test_every_public_name_is_in_the_reference_and_in_a_guide(name: str) -> None:
    assert f":: sandbox.{name}\n" in PAGES["docs/api.md"]
    guides = [page for path, page in PAGES.items() if path != "docs/api.md"]
    assert any(re.search(rf"`[^`\n]*\b{name}\b|^from sandbox.*\b{name}\b", g, re.M) for g in guides)
    assert getattr(sandbox, name) is not None


@pytest.mark.parametrize("status", Status)
def test_every_status_is_documented_with_its_exit_code(status: Status) -> None:
    page = PAGES["docs/running.md"]
    (row,) = re.findall(rf"^\| `{status}` \|.*\| (\d+) \|$", page, re.MULTILINE)
    assert int(row) == EXIT_CODES[status]


def test_every_exit_code_of_a_fault_is_documented() -> None:
    page = PAGES["docs/command-line.md"]
    (paragraph,) = re.findall(r"^Exit codes beside.*?\Z", page, re.MULTILINE | re.DOTALL)
    for kind, code in FAULT_CODES.items():
        assert re.search(rf"\b{code}\b[^,]*\(`{kind.__name__}`\)", paragraph, re.DOTALL)


@pytest.mark.parametrize("field", [field.name for field in fields(Result)])
def test_every_field_of_a_result_is_documented(field: str) -> None:
    assert re.search(rf"^\|[^|]*`{field}`", PAGES["docs/running.md"], re.MULTILINE)


def test_every_method_of_a_sandbox_is_documented() -> None:
    for name in (name for name in vars(Sandbox) if not name.startswith("_")):
        assert re.search(rf"`{name}[(`]", PAGES["docs/running.md"]), name


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_a_job_has_a_row(option: str) -> None:
    assert re.search(rf"^\| `{option}` \|", PAGES["docs/running.md"], re.MULTILINE)


def test_a_job_is_documented_with_all_of_its_fields() -> None:
    (told,) = re.findall(r"`Job\((.*?)\)` is\n", PAGES["docs/running.md"])
    assert [field.partition("=")[0] for field in told.split(", ")] == list(FIELDS)


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_has_a_row_in_the_readme_and_in_the_threat_model(layer: str) -> None:
    for text in (README, SECURITY):
        assert re.search(rf"^\| `{layer}` \|", text, re.MULTILINE)


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_policy_is_documented(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", PAGES["docs/policies.md"], re.MULTILINE)


def test_the_readme_and_the_document_have_the_same_measurements() -> None:
    table = re.compile(r"^\| \| one-line.*?\n\n", re.MULTILINE | re.DOTALL)
    assert table.findall(README) == table.findall(PAGES["docs/performance.md"]) != []


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    kinds = {kind for kind, _ in BLOCK.findall(PAGES[page])}
    assert {kind for kind in kinds if not kind.startswith("{include}")} <= KINDS


@pytest.mark.parametrize("text", blocks("python"))
def test_the_python_in_the_documents_runs(text: str, tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", blocks("python not-run"))
def test_the_python_that_needs_more_than_this_package_compiles(text: str) -> None:
    compile(text, "example.py", "exec")


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_policies_in_the_documents_are_valid(text: str) -> None:
    assert Policy.from_toml(text).name == tomllib.loads(text)["name"]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_document_links_to_exists(page: str) -> None:
    for target in links(PAGES[page]):
        path, _, heading = target.partition("#")
        if target.startswith("https://"):
            continue
        assert ((ROOT / page).parent / path).is_file(), target
        assert not heading or not path or path.endswith(".md"), target


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_document_names_exists(page: str) -> None:
    """By its path from the top of the checkout, or from `sandbox/` as in the architecture."""
    tops = "sandbox|fuzz|tests|scripts|examples|docs|policies"
    named = set(re.findall(rf"`((?:{tops})/[\w./-]+\w)`", PAGES[page])) - OF_OTHERS
    assert all((ROOT / name).exists() or (ROOT / "sandbox" / name).exists() for name in named)


def test_the_readme_links_to_every_document_where_a_package_index_finds_it() -> None:
    """With a public address of the project in the metadata, links begin with that."""
    base = PROJECT.get("urls", {}).get("Repository")
    targets = links(README)
    prefix = f"{base}/blob/v{PROJECT['version']}/" if base else ""
    assert all(target.startswith(prefix) for target in targets)
    site = {"docs/index.md", "docs/security.md", "docs/contributing.md", "docs/changelog.md"}
    for page in PAGES.keys() - site - {"README.md"}:
        assert f"{prefix}{page}" in targets, f"the README does not link to {page}"


def test_the_changelog_begins_with_the_version() -> None:
    (newest, *_) = re.findall(r"^## \[(.+?)\]", PAGES["CHANGELOG.md"], re.MULTILINE)
    assert newest == PROJECT["version"]


def test_a_glossary_of_at_most_25_terms_fixes_the_words() -> None:
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", PAGES["docs/glossary.md"], re.MULTILINE)
    assert len(terms) == len(set(terms)) <= 25
    assert terms == sorted(terms)
