"""The program in a completion, by the rules of docs/grading.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import extract_code

LINE = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=20)
CODE = st.lists(LINE.filter(lambda line: "```" not in line and "think>" not in line)).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)
PROSE = CODE.filter(lambda text: "~~~" not in text)
LABEL = st.sampled_from(["python", "py", "Python", "python3", "PY3", "python title=x", "{.python}"])


@given(before=PROSE, code=CODE, after=PROSE, label=LABEL)
def test_a_labelled_block_comes_out_as_it_went_in(before, code, after, label):
    assert extract_code(f"{before}```{label}\n{code}```\n{after}") == code


@given(first=CODE, between=PROSE, last=CODE)
def test_the_last_block_wins(first, between, last):
    text = f"```python\n{first}```\n{between}```python\n{last}```"
    assert extract_code(text) == last


@given(thought=CODE, code=CODE)
def test_what_was_thought_does_not_count(thought, code):
    text = f"<think>\n```python\n{thought}```\n</think>\n```python\n{code}```\n"
    assert extract_code(text) == code
    assert extract_code(f"<think>\n```python\n{thought}```\n") == ""


@given(code=CODE, indent=st.sampled_from(["  ", "\t", "      "]))
def test_a_block_below_an_item_of_a_list_loses_its_indentation(code, indent):
    shifted = "".join(f"{indent}{line}\n" for line in code.split("\n")[:-1])
    assert extract_code(f"1. so:\n{indent}```python\n{shifted}{indent}```\n") == code


@given(text=st.text(alphabet=st.sampled_from("`~pyt \n\r<think>/a"), max_size=80))
def test_nothing_that_a_model_writes_raises(text):
    assert isinstance(extract_code(text), str)
    assert extract_code([{"role": "assistant", "content": text}]) == extract_code(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no block", ""),
        ("print(1)", ""),
        ("", ""),
        ("```\nprint(1)\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\n```\noutput: 1\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\n```json\n{}\n```", "print(1)\n"),
        ("```bash\nls\n```", ""),
        ("```python\nprint(1)", "print(1)\n"),
        ("````python\nx = '''\n```\n'''\n````", "x = '''\n```\n'''\n"),
        ("~~~python\nprint(1)\n~~~", "print(1)\n"),
        ("~~~python\nprint(1)\n```\n~~~", "print(1)\n```\n"),
        ("```python\r\nprint(1)\r\n```\r\n", "print(1)\n"),
        ("use ```print(1)``` here", ""),
        ("a</think>```python\nprint(1)\n```", "print(1)\n"),
        ("```python\n```", ""),
    ],
)
def test_the_rules_one_by_one(text, code):
    assert extract_code(text) == code


def test_conversations_and_messages_are_read_like_their_last_reply():
    block = "```python\nprint(1)\n```"
    user = {"role": "user", "content": "```python\nprint(2)\n```"}
    reply = {"role": "assistant", "content": [{"type": "text", "text": block}, {"type": "image"}]}
    assert extract_code(reply) == "print(1)\n"
    assert extract_code([user, reply, {"role": "tool", "content": "ok"}]) == "print(1)\n"
    assert extract_code([user]) == extract_code([]) == extract_code({"role": "assistant"}) == ""


@pytest.mark.parametrize("completion", [None, 1, b"x", [1], {"content": 1}])
def test_what_is_no_completion_is_refused(completion):
    with pytest.raises(TypeError):
        extract_code(completion)


def test_a_long_completion_takes_no_longer_than_its_length():
    assert extract_code("`" * 1_000_000) == ""
    assert extract_code(" " * 1_000_000 + "```python\nx\n") == "x\n"
    assert extract_code("<think>" * 200_000) == ""
