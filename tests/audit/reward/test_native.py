"""What keeps a function out of the trainer: each of these had an effect there as `native`."""

import ast

import pytest

from sandbox import audit_reward
from sandbox.audit.reward.native.function import reasons_against

EFFECTS = {
    "what sum starts with is the trainer's list": "x = sum([], completions)\n    x.append(1)",
    "the same in place": "x = sum([], completions)\n    x += [1]",
    "a key that the trainer gave": "x = sorted(completions, key=kwargs['hook'])",
    "the same of a list of its own": "x = [1]\n    x.sort(key=kwargs['hook'])",
    "a replacement that the trainer gave": "x = re.sub('a', kwargs['hook'], 'a')",
    "the same by its name": "x = re.sub('a', string='a', repl=kwargs['hook'])",
    "a comparator that the trainer gave": "x = grade('', None, comparator=kwargs['hook'])",
    "a class that the trainer gave is called": "raise kwargs['hook']",
    "the same as a cause": "raise ValueError() from kwargs['hook']",
    "a type that the trainer gave is asked": "x = isinstance(1, kwargs['hook'])",
    "a builtin by a name that another function binds": "x = sorted(completions, key=print)\n"
    "def other(a):\n    print = a\n    return print",
    "the same to end the trainer": "raise SystemExit\n"
    "def other(a):\n    SystemExit = a\n    return SystemExit",
    "a builtin where a branch binds no other": "x = str(license)\nif []:\n    license = 1",
    "flags by number print": "x = re.compile('a', 128)",
    "the same by their name": "x = re.search('a', 'a', flags=128)",
    "the same behind a count": "x = re.sub('a', 'a', 'a', 0, 128)",
    "a codec is imported by its name": "x = str(b'a', 'idna')",
    "a path that is divided": "x = ''\n    x /= kwargs['path'][0]\n    y = x.replace('elsewhere')",
    "a bar on the trainer's stream": "x = grade_many([], progress=True)",
    "threads in the trainer": "x = grade_many([], workers=100000)",
    "an interrupt is dropped": "try:\n        x = 1\n    except:\n        x = 2",
    "the same at last": "for c in completions:\n        try:\n            x = 1\n"
    "        finally:\n            continue",
}
HARMLESS = {
    "a text in steps": "x = str(completions)\n    x = x.strip()\n    y = x.replace('a', 'b')",
    "a text by another name": "x = str(completions)\n    y = x\n    z = y.replace('a', 'b')",
    "flags together": "x = re.sub('a', 'b', 'a', flags=re.I | re.S)",
    "a function of its own": "x = sorted(completions, key=own)\ndef own(a):\n    return len(a)",
    "what was caught": "try:\n        x = 1\n    except ValueError as error:\n"
    "        raise KeyError(str(error)) from error",
    "a sum": "x = sum([1])\n    y = 0\n    y += x",
}


def _reasons(body):
    text = "import re\nfrom sandbox import grade, grade_many\n"
    return reasons_against(ast.parse(f"{text}def reward(completions, **kwargs):\n    {body}\n"))


@pytest.mark.parametrize("title", EFFECTS)
def test_what_has_an_effect_in_the_trainer_is_not_native(title):
    assert _reasons(EFFECTS[title])


@pytest.mark.parametrize("title", HARMLESS)
def test_what_has_none_is(title):
    assert _reasons(HARMLESS[title]) == []


def test_a_text_that_is_bound_to_itself_is_followed_to_its_end():
    audit = audit_reward(
        "def reward(completions, **kwargs):\n    found = []\n    for each in completions:\n"
        "        text = str(each)\n        text = text.strip()\n"
        "        found.append(float(len(text.replace(',', ''))))\n    return found\n"
    )
    assert audit.verdict == "native", audit.findings
