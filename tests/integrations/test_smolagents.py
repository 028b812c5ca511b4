"""smolagents' executor: steps, tools that stay in the caller, and a whole agent."""

import datetime
import subprocess
import sys
from decimal import Decimal

import pytest

from sandbox import PolicyError
from sandbox.integrations.sessions.last_statement import name_set_last
from sandbox.integrations.sessions.values import Held, decode, encode

VALUES = [
    None,
    True,
    -1,
    2**200,
    1.5,
    float("inf"),
    1 + 2j,
    "text",
    b"\x00\xff",
    [1, [2]],
    (1, (2,)),
    {1, 2},
    frozenset({3}),
    {"a": 1, "$": 2},
    {(1, "x"): [None]},
    range(0, 9, 2),
    datetime.datetime(2026, 1, 2, 3, 4, 5),
    datetime.timedelta(days=1, microseconds=2),
    Decimal("1.10"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values_cross_as_they_are(value):
    held = Held()
    assert decode(encode(value, held), held) == value
    assert type(decode(encode(value, held), held)) is type(value)


@pytest.mark.parametrize(
    "told",
    [
        {"$": "held", "v": 0},
        {"$": "unknown", "v": 1},
        {"$": "ndarray", "v": ["O8,O8", []]},
        {"$": "int", "v": "zz"},
        {"$": "range", "v": "abcd"},
        {"$": "type", "v": "eval"},
        {"$": "dict", "v": [[[], 1]]},
        {"$": "tuple"},
    ],
    ids=repr,
)
def test_what_a_session_makes_up_is_no_value(told):
    with pytest.raises(ValueError, match="the session told no value"):
        decode(told, Held())


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("x = 1", "x"),
        ("y += 2", "y"),
        ("x: int = 3", "x"),
        ("x: int", None),
        ("for i in a:\n    total = i", "total"),
        ("if a:\n    x = 1\nelse:\n    x = 2", "x"),
        ("if a:\n    x = 1\nelse:\n    y = 2", None),
        ("def f(): pass", "f"),
        ("x = 1\nx", None),
        ("a, b = 1, 2", None),
        ("x =", None),
        ("(" * 500, None),
    ],
)
def test_the_name_that_a_step_sets_last(code, name):
    assert name_set_last(code) == name


def test_without_smolagents_the_extra_is_named():
    code = (
        "import sys; sys.modules['smolagents'] = None\n"
        "try:\n    import sandbox.integrations.sessions.smolagents\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "needs the extra 'smolagents'" in done.stdout


# -- with smolagents


@pytest.fixture(scope="module", name="kind")
def _kind():
    pytest.importorskip("smolagents", reason="smolagents is not installed")
    from sandbox.integrations.sessions.smolagents import RestrictedExecutor

    return RestrictedExecutor


@pytest.fixture(name="executor")
def _executor(kind):
    made = kind("contest", cpu_seconds=1)
    yield made
    made.cleanup()


def test_variables_last_and_the_value_of_the_last_statement_comes_back(executor):
    assert executor("x = (1, {2: 3})").output == (1, {2: 3})
    made = executor("print(x[0])\nx[1]")
    assert (made.output, made.logs, made.is_final_answer) == ({2: 3}, "1\n", False)
    assert executor("for i in range(3):\n    total = i").output == 2
    assert executor("print('only')").output is None
    assert executor.state["x"] == (1, {2: 3})
    assert str(executor.state["_print_outputs"]) == "only\n"
    with pytest.raises(KeyError):
        executor.state["nowhere"]


def test_what_fails_is_told_and_what_it_did_before_is_kept(executor):
    from smolagents.local_python_executor import InterpreterError

    with pytest.raises(InterpreterError, match="at line 'y = 1 / 0' due to: ZeroDivisionError"):
        executor("x = 5\nprint('here')\ny = 1 / 0")
    assert str(executor.state["_print_outputs"]) == "here\n"
    assert executor("x").output == 5
    with pytest.raises(InterpreterError, match="parsing failed"):
        executor("x =")
    with pytest.raises(InterpreterError, match="denied by policy"):
        executor("import subprocess")


def test_a_limit_undoes_the_step_and_no_other(executor):
    from smolagents.local_python_executor import ExecutionTimeoutError

    executor("x = 1")
    with pytest.raises(ExecutionTimeoutError, match="maximum execution time of 1 seconds"):
        executor("x = 2\nwhile True:\n    pass")
    assert executor("x").output == 1


def test_tools_run_in_the_caller_and_may_raise_in_the_program(executor):
    seen = []

    def divide(a, b=2):
        seen.append((a, b))
        return a / b

    executor.send_tools({"divide": divide})
    assert executor("divide(3), divide(1, b=4)").output == (1.5, 0.25)
    assert seen == [(3, 2), (1, 4)]
    code = "try:\n    divide(1, 0)\nexcept ZeroDivisionError as error:\n    told = str(error)"
    executor(code)
    assert executor.state["told"] == "division by zero"


def test_an_object_of_the_callers_is_handed_on_and_not_looked_into(executor):
    class Image:
        def __init__(self):
            self.secret = "held"

    image = Image()
    executor.send_tools({"draw": lambda: image, "size": lambda given: int(given is image)})
    executor.send_variables({"given": image})
    assert executor("size(draw()), size(given)").output == (1, 1)
    assert executor("draw()").output is image
    from smolagents.local_python_executor import InterpreterError

    with pytest.raises(InterpreterError, match="AttributeError"):
        executor("given.secret")


def test_an_object_of_the_programs_is_shown(executor):
    made = executor("class A:\n    def __str__(self):\n        return 'an A'\na = A()").output
    assert str(made) == "an A"
    assert made.type_name == "A"


@pytest.mark.parametrize("answer", ["answer=(1, 2)", "(1, 2)"])
def test_the_final_answer_ends_the_step(executor, answer):
    executor.send_tools({"final_answer": lambda answer: answer})
    code = f"x = 1\ntry:\n    final_answer({answer})\nexcept Exception:\n    x = 2\nx = 3"
    made = executor(code)
    assert (made.output, made.is_final_answer) == ((1, 2), True)
    assert executor.state["x"] == 1


def test_a_program_that_uses_the_names_of_builtins_hurts_itself_alone(executor):
    executor("list = str = type = isinstance = 3")
    assert executor("(list, {1: str})").output == (3, {1: 3})


def test_a_session_that_was_lost_is_told_and_begins_anew(executor):
    from smolagents.local_python_executor import InterpreterError

    from sandbox.integrations.sessions import shared

    executor.send_variables({"sent": 7})
    executor("x = 1")
    shared.close_shared()
    with pytest.raises(InterpreterError, match="interpreter was lost"):
        executor("x")
    with pytest.raises(InterpreterError, match="NameError"):
        executor("x")
    assert executor("sent").output == 7
    shared.close_shared()
    executor.send_variables({"more": 8})  # as an agent does before each run
    assert executor("sent + more").output == 15


def test_tables_cross_under_a_policy_that_grants_pandas(kind):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    executor = kind("science")
    table = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[5, 6])
    executor.send_variables({"table": table, "array": numpy.arange(3.0)})
    pandas.testing.assert_frame_equal(executor("table").output, table)
    assert executor("table.a.sum()").output == 3
    assert (executor("array * 2").output == numpy.arange(3.0) * 2).all()
    executor.cleanup()


def test_what_is_wrong_is_told_at_once(kind):
    with pytest.raises(PolicyError):
        kind("contest", cpu_seconds=1000)
    with pytest.raises(PolicyError):
        kind("no-such-policy")
    assert "itertools" in kind("contest").authorized_imports


def test_an_agent_solves_a_task_with_it(kind):
    from smolagents import CodeAgent, tool
    from smolagents.models import ChatMessage, MessageRole, Model

    steps = iter(
        [
            "<code>\nn = double(20)\nprint(n)\n</code>",
            "<code>\nmissing\n</code>",
            "<code>\nfinal_answer(n + 2)\n</code>",
        ]
    )
    seen = []

    class Scripted(Model):
        def generate(self, messages, **_):
            seen.append(str(messages[-1].content))
            return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought.\n{next(steps)}")

    @tool
    def double(number: int) -> int:
        """Double a number.

        Args:
            number: The number.
        """
        return 2 * number

    executor = kind("contest")
    with CodeAgent([double], Scripted(), executor=executor, verbosity_level=0) as agent:
        assert agent.run("What is the answer?") == 42
    assert "40" in seen[1]
    assert "NameError" in seen[2]
    assert executor._session is None
