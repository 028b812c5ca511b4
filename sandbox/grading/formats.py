"""Reading tests from plain data: each row of `_SHAPES` is one format of a data set.

Tests come from the data set: they are trusted to say what is right, and are checked for shape only.
What no row knows is refused.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from sandbox.grading.asserts.plainness import in_steps, makes_plain_data
from sandbox.grading.asserts.test_names import (
    check_size,
    free_names,
    is_too_long,
    needs_instances,
    parsed,
    stand_alone,
)
from sandbox.grading.suites.reading import is_test_file, read_suite
from sandbox.grading.tests import AssertTests, CallTests, StdinTests, Tests
from sandbox.grading.texts.settings import noting_seeds, settings_of

_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINITION = re.compile(r"^(async def|def|class)\s", re.MULTILINE)
_BINDS = (ast.Import, ast.ImportFrom, ast.Assign)  # what a prompt has where it defines nothing
_INTEGER = re.compile(r"-?\d{1,640}")  # as many as int() reads, whatever limit was set
_MOST_ALIKE = 16
_ENTRY = re.compile(r"[A-Za-z_]\w*(\(\))?(\.[A-Za-z_]\w*)?")


def read_tests(data: Any) -> Tests:
    """Read the tests in `data`: a dict, a list of cases or of asserts, or either as JSON text.

    A text that is no JSON is one of asserts. Raises ValueError for a shape that is not known, or
    with a part missing.
    """
    if isinstance(data, Tests):
        return data
    try:
        return _read(_loaded(data) if isinstance(data, str) else data)
    except ValueError:
        raise
    except Exception as error:  # whatever a shape that is not known makes the reading raise
        raise ValueError(f"malformed tests: {type(error).__name__}: {error}") from error


def _loaded(text: str) -> Any:
    """Return what `text` is as JSON; of Python, its statements as a list with one text."""
    try:
        return json.loads(text)
    except ValueError:
        if "assert" not in text:
            raise
        return [text]


def _read(data: Any) -> Tests:
    if _is_list(data):
        if data and all(isinstance(each, str) for each in data):
            return _assertions({"test_list": data})
        return _case_list(data, {})
    if not isinstance(data, Mapping):
        raise ValueError(f"tests are a dict or a list of cases, not a {type(data).__name__}")
    for key, read in _SHAPES.items():
        if data.get(key) is not None:
            return read(data)
    given = ", ".join(sorted(map(str, data)))
    raise ValueError(f"no known form of tests: {given}; one has {', '.join(_SHAPES)}")


def _nested(data: Mapping[str, Any]) -> Tests:
    return read_tests(next(data[key] for key in NESTED if data.get(key) is not None))


def _pairs(data: Mapping[str, Any]) -> Tests:
    """Read APPS, TACO, LiveCodeBench: `inputs` and `outputs`, with `fn_name` for calls."""
    inputs, outputs = data["inputs"], data.get("outputs")
    if not _is_list(inputs) or not _is_list(outputs):
        raise ValueError("inputs and outputs are lists")
    if len(inputs) != len(outputs):
        raise ValueError(f"{len(inputs)} inputs and {len(outputs)} outputs")
    pairs = list(zip(inputs, outputs, strict=True))
    if data.get("fn_name"):
        return _calls(data["fn_name"], pairs)
    return StdinTests(tuple((_text(given), _text(wanted)) for given, wanted in pairs))


def _case_list(cases: Sequence[Any], data: Mapping[str, Any]) -> Tests:
    """Read `{"input", "output"}` each: open-r1's test_cases, LiveCodeBench's own lists."""
    if not all(isinstance(c, Mapping) and "input" in c and "output" in c for c in cases):
        raise ValueError("every case is a dict with input and output")
    kinds = _texts(case.get("type") or case.get("testtype") or "stdin_stdout" for case in cases)
    if len(kinds) > 1 or not kinds <= _STDIN | _CALLS:
        raise ValueError(f"cases of these types: {', '.join(sorted(map(str, kinds)))}")
    pairs = [(case["input"], case["output"]) for case in cases]
    if kinds & _CALLS:
        names = _texts(case.get("fn_name") or _function(data) for case in cases)
        if len(names) > 1:
            raise ValueError("cases of different functions")
        return _calls(names.pop(), pairs)
    return StdinTests(tuple((_text(given), _text(wanted)) for given, wanted in pairs))


def _texts(values: Iterable[Any]) -> set[str]:
    """Return the different texts; other values are of no use here, and could be dear to tell."""
    found = set[str]()
    for value in values:
        if not isinstance(value, str):
            raise ValueError(f"a case's type and fn_name are text, not a {type(value).__name__}")
        found.add(value)
    return found


def _side_by_side(data: Mapping[str, Any]) -> Tests:
    """Read CodeContests: lists of inputs and outputs under one key or several."""
    inputs, outputs = list[Any](), list[Any]()
    for key in _SIDE_BY_SIDE:
        part = data.get(key) or {}
        if not isinstance(part, Mapping):
            raise ValueError(f"{key} has input and output, side by side")
        inputs += part.get("input") or ()
        outputs += part.get("output") or ()
    return _pairs({"inputs": inputs, "outputs": outputs})


def _one_pair(data: Mapping[str, Any]) -> Tests:
    """Read one `input` with its `output`, or a list of each."""
    inputs, outputs = data["input"], data.get("output")
    if isinstance(inputs, str) and isinstance(outputs, str):
        inputs, outputs = [inputs], [outputs]
    return _pairs({**data, "inputs": inputs, "outputs": outputs})


def _function(data: Mapping[str, Any]) -> Any:
    """Return the name of the tested function: LiveCodeBench has it in its metadata."""
    about = data.get("metadata") or {}
    about = json.loads(about) if isinstance(about, str) else about
    named = about.get("func_name") if isinstance(about, Mapping) else None
    return data.get("fn_name") or named


def _test_cases(data: Mapping[str, Any]) -> Tests:
    if data.get("language", "python") not in ("python", "python3"):
        raise ValueError(f"tests for {data['language']}")
    cases = next(data[key] for key in CASE_LISTS if data.get(key) is not None)
    cases = json.loads(cases) if isinstance(cases, str) else cases
    if hidden := data.get(_HIDDEN_CASES):
        try:
            cases = [*cases, *(json.loads(hidden) if isinstance(hidden, str) else hidden)]
        except ValueError:
            raise ValueError(f"{_HIDDEN_CASES} is packed: unpack it to a list") from None
    if isinstance(cases, Mapping):  # lists side by side, or inputs and outputs
        return read_tests(cases)
    if cases and all(isinstance(case, str) for case in cases):  # assertions, as some sets have
        return _assertions({"test_list": cases})
    return _case_list(cases, data)


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return True for a sequence but a text, which would be tests that no author wrote."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise ValueError(f"an input or output is text, not a {type(value).__name__}")
    return value


def _calls(name: Any, pairs: Sequence[tuple[Any, Any]]) -> CallTests:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"fn_name is no name: {name!r}")
    return CallTests(name, tuple(_call(given, wanted) for given, wanted in pairs))


def _call(given: Any, wanted: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Read a call: LiveCodeBench has text, one JSON value a line; APPS a list of arguments."""
    if isinstance(given, str):
        args = [json.loads(line) for line in given.split("\n") if line.strip()]
        return tuple(args), (json.loads(wanted) if isinstance(wanted, str) else wanted,)
    if not isinstance(given, list):
        raise ValueError(f"arguments are a list or text, not a {type(given).__name__}")
    # APPS puts a value into a list of one where the checker of its source did.
    unwrapped = wanted[:1] if isinstance(wanted, list) and len(wanted) == 1 else []
    return tuple(_with_int_keys(given)), (wanted, *unwrapped)


def _with_int_keys(args: list[Any]) -> list[Any]:
    """Undo for a single dict, as `run_test` of APPS, that JSON made strings of its integers."""
    if len(args) == 1 and isinstance(args[0], dict):
        keys = list(args[0])
        if keys and all(isinstance(key, str) and _INTEGER.fullmatch(key) for key in keys):
            return [dict(zip(_spread(map(int, keys)), args[0].values(), strict=True))]
    return args


def _spread(keys: Iterable[int]) -> list[int]:
    """Return `keys`, each near its place in a dict: equal hashes cost quadratic time.

    The hash of an integer is the rest by a known prime, so a text can have as many as it wants.
    """
    numbers = list(keys)
    if max(Counter(map(hash, numbers)).values()) > _MOST_ALIKE:
        raise ValueError("the keys of a dict have the same hash")
    return numbers


def _check(data: Mapping[str, Any]) -> Tests:
    """Read HumanEval: `prompt`, `test` with `check(candidate)`, `entry_point`."""
    prompt, test, entry = data.get("prompt") or "", data["test"], data.get("entry_point")
    if not (isinstance(prompt, str) and isinstance(test, str) and isinstance(entry, str)):
        raise ValueError("prompt, test and entry_point are text")
    if not _ENTRY.fullmatch(entry):
        raise ValueError(f"entry_point is no function: {entry!r}")
    text = f"{test}\n\ncheck(candidate)\n"
    if is_too_long([prompt, test]):
        return AssertTests.unread((text,), prompt)
    check_size([prompt, test])
    setup, before = stand_alone(prompt)
    if not _DEFINITION.search(prompt) and not any(isinstance(n, _BINDS) for n in before.body):
        prompt, setup, before = "", "", ast.Module([], [])  # prose for a chat, as in some sets
    name = re.split(r"[(.]", entry)[0]
    [tree] = parsed([text])
    names, modules = free_names([setup, test], [before, tree])
    rest, settings = names - {"candidate", name}, settings_of([setup, text])
    imports = _imports(modules)
    return AssertTests(
        texts=(text,),
        names=(entry, *sorted(rest)),
        setup=imports + setup,
        prefix=prompt if setup else "",
        candidate=entry,
        are_plain=not needs_instances([tree], rest),
        makes_plain_data=makes_plain_data([tree], names),
        stepped=(in_steps(text, tree),),
        settings=settings,
        noting=(
            imports + noting_seeds(settings, setup, before),
            noting_seeds(settings, text, tree),
        ),
    )


def _assertions(data: Mapping[str, Any]) -> Tests:
    """Read MBPP: `test_list`, with `test_imports`, `test_setup_code`, `challenge_test_list`."""
    lists = [data.get(key) or () for key in ("test_list", "challenge_test_list", "test_imports")]
    if not all(map(_is_list, lists)):
        raise ValueError("test_list, challenge_test_list and test_imports are lists")
    texts = [*lists[0], *lists[1]]
    setup = "\n".join([*lists[2], data.get("test_setup_code") or ""])
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("every test of test_list is text")
    if is_too_long([setup, *texts]):
        return AssertTests.unread(tuple(texts), setup)
    check_size([setup, *texts])
    trees = parsed([setup, *texts])
    names, modules = free_names([setup, *texts], trees)
    settings, imports = settings_of([setup, *texts]), _imports(modules)
    noting = [noting_seeds(settings, *each) for each in zip([setup, *texts], trees, strict=True)]
    return AssertTests(
        texts=tuple(texts),
        names=tuple(sorted(names)),
        setup=imports + setup,
        are_plain=not needs_instances(trees, names),
        makes_plain_data=makes_plain_data(trees, names),
        stepped=tuple(map(in_steps, texts, trees[1:])),
        settings=settings,
        noting=(imports + noting[0], *noting[1:]),
    )


def _imports(modules: set[str]) -> str:
    return "".join(f"import {name}\n" for name in sorted(modules))


_STDIN, _CALLS = {"stdin_stdout", "stdin"}, {"function_call", "functional"}
NESTED = ("verification_info", "input_output")
CASE_LISTS = ("test_cases", "official_tests", "public_test_cases")
_HIDDEN_CASES = "private_test_cases"
_SIDE_BY_SIDE = ("public_tests", "private_tests", "generated_tests")
_SHAPES: dict[str, Callable[[Mapping[str, Any]], Tests]] = {
    **dict.fromkeys(("test_code", "test_files"), read_suite),
    **dict.fromkeys(NESTED, _nested),
    "inputs": _pairs,
    **dict.fromkeys(CASE_LISTS, _test_cases),
    "test": lambda data: (read_suite if is_test_file(data["test"]) else _check)(data),
    "test_list": _assertions,
    "assert_case": lambda data: _assertions({"test_list": data["assert_case"]}),
    "public_tests": _side_by_side,
    "input": _one_pair,
}
