"""Rewards as TRL asks for them: rows, columns, settings, hostile completions."""

import logging

import pytest

from sandbox import PolicyError, grade
from sandbox.grading import formats
from sandbox.integrations import columns as column_reading
from sandbox.integrations.trl import CodeReward

from .trl_rows import (
    ADD,
    CASES,
    CHECK,
    FORMS,
    HEADER,
    PAIRS,
    RIGHT,
    VERIFICATION,
    WRONG,
    as_trl,
    close_enough,
    conversation,
    repeated,
)


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_graded_in_every_form_of_tests_and_both_of_completions(form):
    right, wrong, columns = FORMS[form]
    texts = [right, wrong, conversation(right), conversation(wrong)]
    assert as_trl(texts, repeated(columns, 4), CodeReward()) == [1.0, 0.0, 1.0, 0.0]


def test_the_columns_that_are_known_are_the_forms_that_grading_reads():
    assert set(column_reading.FORMS) == {*formats._SHAPES, "tests"}


def test_a_program_that_continues_the_prompt_is_graded_with_it():
    body = "```python\n    total: List[int] = [a, b]\n    return sum(total)\n```"
    columns = {"test": [CHECK], "entry_point": ["add"]}
    assert as_trl([body], columns, CodeReward(), prompts=[HEADER]) == [1.0]
    assert as_trl([body], columns, CodeReward(), [[{"role": "user", "content": HEADER}]]) == [1.0]
    assert as_trl([body], columns, CodeReward(), prompts=["Write add."]) == [0.0]


def test_the_column_of_tests_can_be_chosen_whole_or_by_its_parts():
    chosen = CodeReward("unit")
    assert as_trl([RIGHT, WRONG], {"unit": [VERIFICATION] * 2, "test": ["?"] * 2}, chosen) == [1, 0]
    parts = CodeReward({"test": "unit", "entry_point": "name", "prompt": "head"})
    columns = {"unit": [CHECK], "name": ["add"], "head": [HEADER], "test_list": [["?"]]}
    assert as_trl(["```python\n    return a + b\n```"], columns, parts) == [1.0]


def test_a_row_without_tests_has_no_reward():
    columns = {"inputs": [["1"], None, []], "outputs": [["2"], None, []]}
    assert as_trl([RIGHT] * 3, columns, CodeReward()) == [1.0, None, None]
    assert as_trl([RIGHT, RIGHT], {"unit": [None, ""]}, CodeReward("unit")) == [None, None]
    assert as_trl([], {"inputs": [], "outputs": []}, CodeReward()) == []


def test_partial_credit_is_the_share_of_tests_passed():
    columns = {"inputs": [["1", "2", "3", "4"]], "outputs": [["1", "0", "3", "0"]]}
    copy = "```python\nprint(input())\n```"
    assert as_trl([copy], columns, CodeReward()) == [0.0]
    assert as_trl([copy], columns, CodeReward(partial=True)) == [0.5]
    assert as_trl([copy], columns, CodeReward(partial=True, early_stop=True)) == [0.25]


def test_comparator_policy_limits_and_extraction_are_chosen():
    columns = {"inputs": [["1"]], "outputs": [["1.05"]]}
    text = "print(float(input()))"
    assert as_trl([text], columns, CodeReward(extract=str)) == [0.0]
    assert as_trl([text], columns, CodeReward(extract=str, comparator=close_enough)) == [1.0]
    maths = "```python\nimport math\nprint(math.floor(1.5))\n```"
    columns = {"inputs": [[""]], "outputs": [["1"]]}
    assert as_trl([maths], columns, CodeReward()) == [1.0]
    assert as_trl([maths], columns, CodeReward(policy="strict")) == [0.0]
    typed = "```python\ndef f(x: List[int]):\n    return x[0]\n```"
    calls = {"inputs": [[[[1]]]], "outputs": [[1]], "fn_name": ["f"]}
    assert as_trl([typed], calls, CodeReward()) == [1.0]
    assert as_trl([typed], calls, CodeReward(preamble="")) == [0.0]
    slow = "```python\nfor n in range(10**9): pass\nprint(1)\n```"
    assert as_trl([slow], columns, CodeReward(cpu_seconds=0.1)) == [0.0]


def test_settings_that_are_wrong_are_refused_when_they_are_made():
    with pytest.raises(ValueError, match="no comparator 'fuzzy'"):
        CodeReward(comparator="fuzzy")
    with pytest.raises(PolicyError, match="nowhere"):
        CodeReward(policy="nowhere")
    with pytest.raises(
        PolicyError, match=r"cpu_second: unknown option or limit .did you mean cpu_seconds"
    ):
        CodeReward(cpu_second=1)
    with pytest.raises(PolicyError, match="may tighten"):
        CodeReward(cpu_seconds=10**6)


def test_a_test_that_shares_a_process_with_the_program_can_be_left_out():
    code = "```python\nclass Stack:\n    def size(self):\n        return 0\n```"
    columns = {"test_list": [["s = Stack()\nassert s.size() == 0"]]}
    assert as_trl([code], columns, CodeReward()) == [1.0]
    assert as_trl([code], columns, CodeReward(mask_weaker=True)) == [None]
    assert as_trl([ADD], FORMS["MBPP"][2], CodeReward(mask_weaker=True)) == [1.0]


# What a trainer or a data set gets wrong is told, and gives no completion a reward.


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"answer": ["1", "2"]}, "none of the columns .answer, prompt. is known to have tests"),
        ({"inputs": [["1"]], "outputs": [["2"]]}, "column 'inputs' has 1 rows, and completions 2"),
        ({"test_list": [["x"]] * 3}, "column 'test_list' has 3 rows, and completions 2"),
        ({"tests": "ab"}, "column 'tests' is no list but a str"),
        ({"inputs": [["1"]] * 2, "outputs": [["2"], ["2", "3"]]}, "row 1: .* 1 inputs and 2 out"),
        ({"inputs": [["1"]] * 2, "outputs": [["2"], None]}, "row 1: .* inputs and outputs are"),
        ({"test": [CHECK] * 2}, "row 0: .* prompt, test and entry_point are text"),
        ({"test": ["def check(c:"] * 2, "entry_point": ["f"] * 2}, "row 0: .* is not Python"),
        ({"verification_info": [VERIFICATION, "{"]}, "row 1: .* JSONDecodeError"),
        ({"verification_info": [VERIFICATION, "[" * 10**5]}, "row 1: its tests cannot be read"),
        ({"verification_info": [VERIFICATION, {"answer": 3}]}, "row 1: .* no known form .* answer"),
        ({"test_cases": [CASES, [3]]}, "row 1: .* every case is a dict"),
        ({"test_list": [["assert f()"], 5]}, "row 1: .* test_imports are lists"),
        ({"test_list": [["x"]] * 2, "test": ["y"] * 2}, "row 0: .* test, test_list all have tests"),
    ],
)
def test_columns_and_tests_that_are_malformed_raise_and_say_where(columns, message):
    with pytest.raises(ValueError, match=message):
        as_trl([RIGHT, RIGHT], columns, CodeReward())


def test_a_column_that_was_chosen_and_is_missing_is_named():
    with pytest.raises(
        ValueError, match="no column 'unit' for tests: there are inputs, outputs, prompt"
    ):
        as_trl([RIGHT], PAIRS, CodeReward("unit"))
    with pytest.raises(ValueError, match="no column 'name' for tests"):
        as_trl([RIGHT], {"test": [CHECK]}, CodeReward({"test": "test", "entry_point": "name"}))


def test_a_data_set_can_be_checked_before_a_training():
    good = {"inputs": ["1"], "outputs": ["2"]}
    rows = [good, {"inputs": None, "outputs": None}, good]
    assert CodeReward().check(rows) == 2
    with pytest.raises(ValueError, match="row 3: its tests cannot be read: 1 inputs and 0 outputs"):
        CodeReward().check([*rows, {"inputs": ["1"], "outputs": []}])


# A completion is untrusted.


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "no code at all",
        [],
        {"role": "assistant"},
        [{"role": "assistant"}],
        [{"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]}],
        [{"role": "tool", "content": RIGHT}],
        [{"role": "user", "content": RIGHT}],
        "```python\nprint('\ud800')\n```",
        "```python\n" + "x" * 10_000_000,
        "```" * 1_000_000,
        "```python\n" + "(" * 100_000,
        "```python\n\x00\n```",
    ],
    ids=lambda completion: repr(completion)[:50],
)
def test_what_has_no_right_program_in_it_earns_nothing_and_raises_nothing(completion):
    columns = repeated(PAIRS, 3)
    assert as_trl([RIGHT, completion, WRONG], columns, CodeReward()) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "completion", [None, 5, b"bytes", [["nested"]], [None], [{"content": 3}], {5}], ids=repr
)
def test_what_is_no_completion_has_no_reward_and_the_log_says_why(completion, caplog):
    with caplog.at_level(logging.WARNING):
        rewards = as_trl([RIGHT, completion, WRONG], repeated(PAIRS, 3), CodeReward())
    assert rewards == [1.0, None, 0.0]
    assert "code_reward masks 1 of 3 completions" in caplog.text
    assert "the completion cannot be read: TypeError" in caplog.text


def test_a_tool_result_is_not_taken_for_the_answer():
    talk = [{"role": "assistant", "content": WRONG}, {"role": "tool", "content": RIGHT}]
    assert as_trl([talk], PAIRS, CodeReward()) == [0.0]


def test_a_reward_agrees_with_a_grade():
    tests = {"inputs": PAIRS["inputs"][0], "outputs": PAIRS["outputs"][0]}
    code = "n = int(input())\nprint(n + 1 if n < 5 else n)"
    (share,) = as_trl([f"```python\n{code}\n```"], PAIRS, CodeReward(partial=True))
    assert share == grade(code, tests).fraction == 0.5
