"""Run smolagents' own tests of its interpreter through `RestrictedExecutor`.

    python scripts/smolagents_cases.py CHECKOUT [pytest's arguments]

CHECKOUT is smolagents' repository at the installed release. Its functions that evaluate a text or a
node of one are replaced by ones that send the text to an executor; no test is changed. The
interpreter's own count of operations, which many tests compare beside what they are about, is left
out of comparisons.
"""

import ast
import builtins
import gc
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from smolagents.default_tools import BASE_PYTHON_TOOLS

from sandbox.integrations.sessions.smolagents import RestrictedExecutor

# What needs the policy "science": native packages, and a clock that runs while a program sleeps.
NATIVE = ("numpy", "pandas", "scipy", "sklearn", "time.sleep")
# Cases that pass or fail without a word on `RestrictedExecutor`, by a part of their names.
NOT_RUN_BY_IT = (
    "TestPrintContainer",
    "test_fix_final_answer_code",
    "test_timeout_decorator",
    "test_check_import_authorized",
    "test_get_safe_module",
    "test_additional_authorized_imports_are_installed",
)
# Why the others that fail do.
REASONS = {
    "the wording, or a rule, of its own interpreter": (
        "test_assignment_cannot_overwrite_tool",
        "test_evaluate_call",
        "test_adding_int_to_list_raises_error",
        "test_close_matches_subscript",
        "test_evaluate_delete",
        "test_evaluate_subscript_error",
        "test_evaluate_subscript_with_custom_class[False",
        "test_evaluate_assign_error",
    ),
    "its interpreter's own counts and lists": (
        "test_max_operations",
        "test_operations_count",
        "test_while",
        "test_additional_imports",
    ),
    "CPython does otherwise": (
        "test_variable_args",
        "test_exceptions",
        "test_tuple_id",
        "test_evaluate_subscript[st[",
    ),
    "an object of the program's or the caller's, looked at in the other's process": (
        "test_evaluate_class_def",
        "test_access_attributes",
        "test_generatorexp",
        "test_nonsimple_augassign",
        "test_evaluate_subscript_with_custom_class[True",
        "test_function_def_recovers_source_code",
    ),
    "the policy grants another thing": (
        "test_dangerous_builtins_calls_are_blocked",
        "test_dangerous_builtins_are_callable",
    ),
    "the message of a later pandas": ("test_evaluate_condition_with_pandas_exceptions",),
}
_BUILTIN = {id(tool) for name, tool in BASE_PYTHON_TOOLS.items() if name != "final_answer"}


def _policy(code: str, state: Any) -> str:
    kinds = {type(value).__module__.partition(".")[0] for value in state.values()}
    return "science" if kinds & {*NATIVE} or any(name in code for name in NATIVE) else "contest"


def _executor(code: str, tools: Any, state: Any, seconds: Any) -> RestrictedExecutor:
    options = {} if seconds is None else {"wall_seconds": float(seconds)}
    executor = RestrictedExecutor(_policy(code, state), cpu_seconds=2, **options)
    executor.send_tools(
        {
            name: tool
            for name, tool in (tools or {}).items()
            if id(tool) not in _BUILTIN
            and not isinstance(tool, type)
            and not _is_python(name, tool)
        }
    )
    executor.send_variables({name: value for name, value in state.items() if name[:1] != "_"})
    return executor


def _is_python(name: str, tool: Any) -> bool:
    return getattr(builtins, name, None) is tool


def evaluate_python_code(
    code: str,
    static_tools: Any = None,
    custom_tools: Any = None,
    state: Any = None,
    authorized_imports: Any = (),
    max_print_outputs_length: int = 50_000,
    timeout_seconds: Any = 30,
) -> tuple[Any, bool]:
    state = {} if state is None else state
    tools = {**(static_tools or {}), **(custom_tools or {})}
    executor = _executor(code, tools, state, timeout_seconds)
    try:
        made = executor(code)
        return made.output, made.is_final_answer
    finally:
        if executor._session is not None and executor._session.is_alive:
            names = {name for name in executor.state if name != "__name__"}
            for name in [name for name in state if name not in names]:
                del state[name]
            state.update({name: executor.state[name] for name in names})
            executor.cleanup()


def evaluate(node: ast.AST, state: Any, *_: Any) -> Any:
    result = evaluate_python_code(ast.unparse(node), state=state)[0]
    state.pop("_print_outputs", None)
    return result


class LocalPythonExecutor(RestrictedExecutor):
    def __init__(
        self,
        additional_authorized_imports: Any,
        max_print_outputs_length: int | None = None,
        additional_functions: Any = None,
        timeout_seconds: Any = 30,
    ) -> None:
        options = {} if timeout_seconds is None else {"wall_seconds": float(timeout_seconds)}
        super().__init__(
            "science" if timeout_seconds == 1 else "contest",
            max_print_outputs_length=max_print_outputs_length,
            additional_functions=additional_functions,
            cpu_seconds=2,
            **options,
        )

    def send_tools(self, tools: Any) -> None:
        super().send_tools({n: t for n, t in tools.items() if id(t) not in _BUILTIN})


class Plugin:
    def __init__(self) -> None:
        self.passed, self.failed = list[str](), Counter[str]()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for item in items:
            module = item.module
            module.evaluate_python_code = evaluate_python_code
            module.LocalPythonExecutor = LocalPythonExecutor
            for name in (
                "evaluate_boolop",
                "evaluate_condition",
                "evaluate_subscript",
                "evaluate_delete",
            ):
                setattr(module, name, evaluate)
            module.TestEvaluatePythonCode.assertDictEqualNoPrint = _same_variables

    def pytest_runtest_teardown(self) -> None:
        gc.collect()

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid
        if report.when != "call" or any(each in name for each in NOT_RUN_BY_IT):
            return
        if report.passed:
            self.passed.append(name)
            return
        found = [why for why, each in REASONS.items() if any(part in name for part in each)]
        self.failed[found[0] if found else name] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"run by RestrictedExecutor: {len(self.passed)} passed")
        for reason, count in self.failed.most_common():
            terminalreporter.write_line(f"{count:4} failed: {reason}")


def _same_variables(_: Any, one: Any, other: Any) -> None:
    own = ("_print_outputs", "_operations_count")
    assert {k: v for k, v in one.items() if k not in own} == {
        k: v for k, v in other.items() if k not in own
    }


if __name__ == "__main__":
    gc.disable()
    path = Path(sys.argv[1]) / "tests" / "test_local_python_executor.py"
    arguments = [str(path), "-q", "-p", "no:cacheprovider", "--tb=no", *sys.argv[2:]]
    sys.exit(pytest.main(arguments, plugins=[Plugin()]))
