"""docs/architecture.md says what the code does: modules, descriptors, messages, imports."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.kernel import siblings, syscall_sets
from sandbox.runtime.wire import protocol

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/architecture.md").read_text()
# Side by side: policies name what the language layer has, and it reads a policy's plan.
PEERS = {"sandbox.language", "sandbox.policy"}
ORDER = re.findall(r"^\| `(sandbox\.\w+)` \|", TEXT, re.MULTILINE)
MODULES = sorted((ROOT / "sandbox").rglob("*.py"))


@pytest.mark.parametrize(
    "name",
    re.findall(
        r"`((?:runtime|kernel|policy|language|interpreter|audit|grading|integrations)/[\w/]+\.py)`",
        TEXT,
    ),
)
def test_every_file_that_is_named_exists(name):
    assert (ROOT / "sandbox" / name).is_file()


def test_every_room_has_a_row_and_every_row_a_room():
    table = re.search(r"^\| room \|.*?\n\n", TEXT, re.MULTILINE | re.DOTALL).group()
    rows = [row.split(" | ")[0] for row in table.splitlines()[2:] if row]
    told = [name for row in rows for name in re.findall(r"`([\w/]+)`", row)]
    folders = {
        path.parent.relative_to(base).as_posix()
        for base, top in ((ROOT / "sandbox", "."), (ROOT, "fuzz"))
        for path in (base / top).rglob("__init__.py")
    }
    assert sorted(told) == sorted(folders - {"."})


def test_the_descriptor_table_has_the_numbers_of_the_code():
    assert f"{syscall_sets.COMMAND_FD} in the forker: command socket" in TEXT
    assert f"{syscall_sets.JOB_FD} in the child: job pipe" in TEXT
    assert f"{syscall_sets.RESULT_FD} in the child: result pipe" in TEXT


@pytest.mark.parametrize(
    "message", ["HELLO", "FATAL", "HANDOVER", "EXIT", "FAULT", "STOP", "READY"]
)
def test_every_message_is_described(message):
    assert hasattr(protocol, message)
    assert f"`{message}`" in TEXT


@pytest.mark.parametrize("message", ["ORDER", "ANSWER"])
def test_every_message_on_the_command_socket_is_described(message):
    assert hasattr(siblings, message)
    assert f"`{message}`" in TEXT


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _package(name):
    return next((p for p in ORDER if name == p or name.startswith(f"{p}.")), None)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    own = _package(name)
    if own is None:  # sandbox/__init__.py resolves its names on first use
        return
    for imported in _imports(path):
        other = _package(imported)
        if other is not None and other != own and {other, own} != PEERS:
            assert ORDER.index(other) > ORDER.index(own), f"{name} imports {imported}"


def test_the_supervisor_stays_slim():
    code = (
        "import sys, sandbox.runtime.supervisor.supervisor;"
        "print(*sorted({'pydantic', 'typer', 'rich', 'tqdm', 'psutil', 'asyncio', 'json',"
        " 'subprocess', 'socket', 'logging', 'importlib.metadata', 'threading', 'jinja2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_caller_loads_no_event_loop_until_it_uses_one():
    code = (
        "import sys; from sandbox import Policy, Sandbox;"
        "print(*sorted({'asyncio', 'psutil', 'RestrictedPython', 'typer', 'rich'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_supervisor_loads_nothing_of_a_scratch_directory_until_one_is_granted():
    code = (
        "import sys, sandbox.runtime.supervisor.supervisor;"
        "print(*sorted(name for name in sys.modules if 'scratch' in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_package_loads_no_extra_and_no_template_engine_until_one_is_used():
    code = (
        "import sys, sandbox, sandbox.cli, sandbox.integrations; sandbox.Sandbox;"
        "print(*sorted({'fastapi', 'uvicorn', 'starlette', 'prometheus_client', 'verl', 'torch',"
        " 'trl', 'ray', 'mcp', 'inspect_ai', 'smolagents', 'openenv', 'verifiers', 'jinja2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# Circles of imports that have to stay, by the module that closes one: why.
CIRCLES: dict[frozenset[str], str] = {}


def _name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _modules_imported(path, names):
    """What a module imports, wherever in it: at the top, in a function, for types alone."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import, which this test does not follow"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in names else node.module


def circles(graph):
    """The sets of modules that lead to each other."""
    ahead = {name: set(found) for name, found in graph.items()}
    for middle in graph:
        for found in ahead.values():
            if middle in found:
                found |= ahead[middle]
    return {
        frozenset((name, *(other for other in ahead[name] if name in ahead[other])))
        for name in graph
        if name in ahead[name]
    }


def test_a_circle_is_found_whatever_its_length():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}, "g": set()}
    assert circles(graph) == {frozenset("abc"), frozenset("ef")}


def test_no_module_imports_itself_through_others():
    names = {_name_of(path) for path in MODULES}
    graph = {
        _name_of(path): {n for n in _modules_imported(path, names) if n in names}
        for path in MODULES
    }
    assert circles(graph) == set(CIRCLES)
    assert all(CIRCLES.values())
