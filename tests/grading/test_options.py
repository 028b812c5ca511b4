"""The options of grading: one set of keywords and one default, wherever something is graded."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Unpack, get_type_hints

import pytest

from sandbox import PolicyError, grade, grade_many
from sandbox.grading.options import GradeOptions, RowOptions, Settings, scored
from sandbox.integrations.openrlhf import make_reward_func, rate
from sandbox.integrations.ray.batches import BatchGrader
from sandbox.integrations.ray.client import RaySandbox
from sandbox.integrations.trl import CodeReward
from sandbox.integrations.verl import compute_score

from .samples import ECHO, verdicts

HALF = "x = input()\nprint(x if x != 'b' else 'no')"
WHOLE = [grade, grade_many, CodeReward.__init__, compute_score, make_reward_func, rate]
ROWS = [RaySandbox.grade_many, BatchGrader.__init__]
PACKAGE = Path(grade.__code__.co_filename).parents[1]


@pytest.mark.parametrize("entry", [*WHOLE, *ROWS], ids=lambda entry: entry.__qualname__)
def test_every_entry_takes_the_same_typed_keywords_and_says_no_default_of_its_own(entry):
    parameters = inspect.signature(entry).parameters
    [rest] = [p for p in parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    assert rest.annotation in (Unpack[GradeOptions], Unpack[RowOptions])
    assert not {"comparator", "early_stop", "preamble"} & set(parameters)


def test_a_score_ends_at_the_first_failure_and_a_fraction_does_not():
    skipped, every = ["passed", "failed", "skipped"], ["passed", "failed", "passed"]
    assert verdicts(grade(HALF, ECHO)) == verdicts(grade_many([(HALF, ECHO)])[0]) == skipped
    assert verdicts(grade(HALF, ECHO, early_stop=False)) == every
    assert Settings.of({}).early_stop
    assert scored({}, partial=False)["early_stop"]
    assert not scored({}, partial=True)["early_stop"]
    assert scored({"early_stop": True}, partial=True)["early_stop"]


@pytest.mark.parametrize(
    "wrong", [grade, lambda code, tests, **o: grade_many([(code, tests)], **o)], ids=["one", "many"]
)
def test_a_typo_is_told_with_what_there_is(wrong):
    with pytest.raises(PolicyError, match=r"early_stp: .*did you mean early_stop.*there are comp"):
        wrong(HALF, ECHO, early_stp=True)
    with pytest.raises(PolicyError, match=r"timeout: .*did you mean wall_seconds.*cpu_seconds"):
        wrong(HALF, ECHO, timeout=1)
    with pytest.raises(TypeError, match="early_stop is True or False, not 1"):
        wrong(HALF, ECHO, early_stop=1)
    with pytest.raises(TypeError, match="preamble is a str, not a NoneType"):
        wrong(HALF, ECHO, preamble=None)


def test_every_reward_gives_the_fraction_by_the_same_word():
    figures = {"inputs": ["a", "b", "c", "d"], "outputs": ["a", "b", "c", "d"]}
    text = f"```python\n{HALF}\n```"
    assert rate([("ask" + text, "ask", figures)], partial=True)["rewards"] == [0.75]
    assert rate([("ask" + text, "ask", figures)])["rewards"] == [0.0]
    assert compute_score("x", text, figures, partial=True)["score"] == 0.75
    columns = {"tests": [figures]}
    assert CodeReward(tests="tests", partial=True)(completions=[text], **columns) == [0.75]


def test_a_sandbox_with_a_policy_of_its_own_takes_no_other():
    from sandbox.grading.options import without_policy

    with pytest.raises(TypeError, match="policy: programs run under the sandbox's own"):
        without_policy({"policy": "strict"})
    assert "policy" not in get_type_hints(RowOptions)


def test_one_text_of_a_job_is_named_in_few_places():
    named = [path for path in PACKAGE.rglob("*.py") if "preamble" in path.read_text()]
    others = [path for path in named if PACKAGE / "grading" not in path.parents]
    assert len(others) <= 8, others


TYPED = """
from sandbox import Sandbox, grade
def typed(box: Sandbox) -> None:
    box.run("1", cpu_seconds=1, preamble="")
    grade("1", [], early_stop=True, cpu_seconds=1)
"""


def test_a_typo_is_a_type_error(tmp_path):
    pytest.importorskip("mypy")
    good, wrong = tmp_path / "good.py", tmp_path / "wrong.py"
    good.write_text(TYPED)
    wrong.write_text(TYPED.replace("early_stop", "early_stp").replace("preamble", "preambel"))
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir"]
    command += [str(PACKAGE.parent / ".mypy_cache"), str(good), str(wrong)]
    told = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent)
    assert 'wrong.py:4: error: Unexpected keyword argument "preambel"' in told.stdout
    assert 'wrong.py:5: error: Unexpected keyword argument "early_stp"' in told.stdout
    assert "good.py" not in told.stdout
