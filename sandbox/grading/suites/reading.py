"""Reading test files from the rows of data sets: KodCode's pytest files, and unittest classes.

* `{"test": "from solution import ..."}`, or `test_code`, with `module` where the program is not
  called `solution`: a file that imports the program (KodCode; exercism).
* `{"test_files": {"test_it.py": "...", "conftest.py": "..."}, "module": "solution"}`: several.
* `{"test": "class TestCases(unittest.TestCase): ...", "entry_point": "task_func"}`: a file in the
  program's own namespace (BigCodeBench; ClassEval, without an entry point).

What a file uses and neither defines nor imports is imported from the program.
"""

import ast
import builtins
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sandbox.grading.asserts.test_names import (
    check_size,
    compares_arguments,
    free_names,
    is_too_long,
    parsed,
)
from sandbox.grading.tests import SuiteTests
from sandbox.grading.texts.settings import settings_of

MODULE, FILE = "solution", "test_solution.py"
_TEST_FILE = re.compile(r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PATH = re.compile(r"(?!/)(?!(?:.*/)?\.{1,2}(?:/|\Z))[^\x00]{1,255}")
_WORD = re.compile(r"\w+")
# Words of tests that replace something of the library's: `patch`, `monkeypatch`, `sys.stdin = …`.
_REPLACING = re.compile(r"\bmonkeypatch\b|\bpatch\b|\bMock\b|\b(?:sys|builtins)\.\w+\s*=[^=]")
_WARNINGS = re.compile(r"\b(?:warns|deprecated_call|recwarn|catch_warnings|assertWarns\w*)\b")
_LOGS = re.compile(r"\b(?:caplog|assertLogs|assertNoLogs|getLogger|addHandler)\b")
_SHARING = re.compile(r"\b(?:tmp_path|tmpdir|tempfile|open|write_text|read_text|makedirs|mkdir)\b")
_DERIVING = re.compile(r"^[ \t]*class\s+\w+\s*\((?!(?:unittest\.)?TestCase\s*\))", re.MULTILINE)
_MOST_FILES = 100
_CONTAINERS = frozenset(("array", "Counter", "OrderedDict", "deque"))


def is_test_file(text: Any) -> bool:
    """Return True if `text` has a test by its name, and no function `check` of HumanEval's."""
    if not isinstance(text, str) or "def check(" in text:
        return False
    return any(map(_begins_a_test, text.split("\n")))


def _begins_a_test(line: str) -> bool:
    if line.startswith(("def test", "async def test", "class Test")):
        return True
    return "TestCase" in line and line.lstrip().startswith("class ")


def read_suite(data: Mapping[str, Any]) -> SuiteTests:
    """Read the tests of `data`. Raises ValueError for a form that is not known."""
    module = data.get("module") or MODULE
    if not isinstance(module, str) or not _MODULE.fullmatch(module):
        raise ValueError(f"module is no name of a module: {module!r}")
    given = data.get("test_files")
    if given is None:
        text = data["test_code"] if data.get("test_code") is not None else data["test"]
        given = {FILE: text}
    files = _texts(given, "test_files")
    lent = _texts(data.get("files") or {}, "files")
    suites = [name for name in files if _TEST_FILE.fullmatch(name)]
    if not suites:
        raise ValueError("test_files has no file that is called test_*.py or *_test.py")
    texts = [text for name, text in files.items() if name.endswith(".py")]
    if is_too_long(texts):
        raise ValueError("test files of more than 16 Mi characters")
    check_size(texts)
    words = {word for text in texts for word in _WORD.findall(text)}
    by_star = True
    for name in suites:
        files[name], names_program = _completed(files[name], module)
        by_star = by_star and not names_program
    replaces = any(map(_REPLACING.search, texts))
    return SuiteTests(
        files=tuple({**lent, **files}.items()),
        suites=tuple(suites),
        module=module,
        data=tuple(lent.items()),
        words=tuple(sorted(words)),
        settings=settings_of(texts),
        watched=_watched(words) if replaces else (),
        hears=tuple(
            kind
            for kind, looks in (("warnings", _WARNINGS), ("logging", _LOGS))
            if any(map(looks.search, texts))
        ),
        shares_files=any(map(_SHARING.search, texts)),
        derives=any(map(_DERIVING.search, texts)),
        by_star=by_star,
    )


def _texts(given: Any, what: str) -> dict[str, str]:
    if not isinstance(given, Mapping) or len(given) > _MOST_FILES:
        raise ValueError(f"{what} is a dict of at most {_MOST_FILES} paths and texts")
    for path, text in given.items():
        if not isinstance(path, str) or not _PATH.fullmatch(path) or not isinstance(text, str):
            raise ValueError(f"{what} has relative paths and texts, not {path!r}"[:200])
    return dict(given)


def _completed(text: str, module: str) -> tuple[str, bool]:
    """Import what `text` wants of a program and does not import.

    Returns the text, and whether it names what it imports of the program, or is made to.
    """
    try:
        [tree] = parsed([text])
    except ValueError:
        return text, False  # the run says so
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = [alias.name for node in froms if node.module == module for alias in node.names]
    modules = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    by_name = any(alias.name == module for node in modules for alias in node.names)
    by_name = by_name or any(name != "*" for name in own)
    if "*" in own:
        return text, by_name
    names, library = free_names([text], [tree])
    head, last_star = _head(tree), _last_star(tree)
    added = {head: [f"import {name}" for name in sorted(library)]}
    if last_star:  # only the run knows which names that gives
        for name in sorted(names):
            lines = [f"try: {name}", f"except NameError: from {module} import {name}"]
            added.setdefault(last_star, []).extend(lines)
    elif names:
        added[head].append(f"from {module} import {', '.join(sorted(names))}")
    return _with_lines(text, added), by_name or bool(names)


def _with_lines(text: str, added: Mapping[int, list[str]]) -> str:
    """Add whole lines to `text`, after as many of its lines as the keys say."""
    rows = text.splitlines(keepends=True)
    for after, lines in sorted(added.items(), reverse=True):
        if lines and after and not rows[after - 1].endswith("\n"):
            rows[after - 1] += "\n"
        rows[after:after] = [f"{line}\n" for line in lines]
    return "".join(rows)


def _last_star(tree: ast.Module) -> int:
    """Return the last line of the last statement of the file that imports all of a module."""
    ends = [0]
    for node in tree.body:
        each = (alias for part in ast.walk(node) for alias in getattr(part, "names", ()))
        if any(getattr(alias, "name", "") == "*" for alias in each):
            ends.append(node.end_lineno or 0)
    return ends[-1]


def _head(tree: ast.Module) -> int:
    """Count the lines of the docstring and the imports from `__future__`, which stand first."""
    last = 0
    for index, node in enumerate(tree.body):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_future and not (index == 0 and is_text):
            break
        last = node.end_lineno or last
    return last


def _watched(words: set[str]) -> tuple[str, ...]:
    """Return the modules of the library in `words`, of which tests may replace a part."""
    return tuple(sorted({"builtins", *(words & sys.stdlib_module_names)} - {"sys", "unittest"}))


def compares_changes(tests: SuiteTests, name: str, *, with_results: bool = False) -> bool:
    """Return True if the test called `name` compares what a call gave with what it was given.

    So may the functions of its file that are no tests: it may call them. `with_results` counts what
    any call gave, of whatever it was given.
    """
    place, *names = name.partition("[")[0].split("::")
    text = next((text for path, text in tests.files if path.rpartition("/")[2] == place), "")
    nodes = [
        node
        for node in _functions(text)
        if node.name in names[-1:] or not node.name.startswith("test")
    ]
    called = {
        node.func.id
        for each in nodes
        for node in ast.walk(each)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    asked = called - set(dir(builtins))
    return compares_arguments(nodes, asked, with_results=with_results)


@lru_cache(maxsize=4)
def _functions(text: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """Parse `text` once for all of its tests: its functions, with calls as `_Called` has them."""
    [tree] = parsed([text])
    _Called(tree).visit(tree)
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return tuple(node for node in ast.walk(tree) if isinstance(node, functions))


class _Called(ast.NodeTransformer):
    """Makes the call of an attribute one of a name: it may be the program's, whatever it is of.

    An assertion of unittest's becomes the comparison that it makes, and a new container of the
    library's one that is written as such: its class is no variable that both sides share.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._containers = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module in ("collections", "array")
            for alias in node.names
            if alias.name in _CONTAINERS
        }

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._containers:
            return ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr.startswith("assert") and node.args:
                left, *others = node.args
                compared = ast.Compare(left, [ast.Eq() for _ in others], others)
                return ast.copy_location(compared, node) if others else left
            return ast.copy_location(
                ast.Call(ast.Name("grade_called"), node.args, node.keywords), node
            )
        return node
