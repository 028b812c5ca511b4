"""Whatever a reward function does, nothing of it happens in its caller."""

import itertools

import pytest

from sandbox import RewardError, load_reward

# Each does its work in `strike()`; MARK is a file's path, PORT that of a listener.
PAYLOADS = {
    "a file by exec": """
def strike():
    exec("open('MARK', 'w').write('x')")
""",
    "a file by eval in a default": """
def strike(run=eval):
    run("open('MARK', 'w')")
""",
    "a command": """
def strike():
    import os
    os.system("touch MARK")
""",
    "a process": """
def strike():
    import subprocess
    subprocess.Popen(["sleep", "5"])
""",
    "a connection": """
def strike():
    import socket
    socket.create_connection(("127.0.0.1", PORT), 1)
""",
    "the environment": """
def strike():
    import os
    os.environ["MARK"] = "x"
""",
    "the sandbox is patched": """
def strike():
    import sandbox
    sandbox.restricted_execution = lambda *a, **k: ("42", "")
    setattr(sandbox, "grade", None)
""",
    "a module is patched": """
import json
def strike():
    json.dumps = len
    json.__dict__["dumps"] = len
""",
    "the real builtins through subclasses": """
def strike():
    for cls in object.__subclasses__():
        init = getattr(cls, "__init__", None)
        names = getattr(init, "__globals__", {})
        if "sys" in names:
            names["sys"].modules["os"].system("touch MARK")
""",
    "a log file": """
import logging
def strike():
    logging.getLogger().addHandler(logging.FileHandler("MARK"))
    logging.basicConfig(filename="MARK")
    logging.error("x")
""",
    "a pickle": """
def strike():
    import pickle
    pickle.loads(b"cos\\nsystem\\n(S'touch MARK'\\ntR.")
""",
    "a thread": """
def strike():
    import threading, time
    threading.Thread(target=time.sleep, args=(5,), name="evil").start()
""",
    "a path": """
import pathlib
def strike():
    pathlib.Path("MARK").write_text("x")
""",
    "a format string": """
def strike():
    text = "{0.__globals__[__builtins__]}".format(strike)
    print(text)
    raise ValueError(text)
""",
    "star imports": """
from string import *
from io import *
from logging import *
def strike():
    FileIO("MARK", "w").write(b"x")
""",
    "a decorator and a descriptor": """
class Laundry:
    def __get__(self, instance, owner):
        return __import__
def strike():
    class Dirty:
        wash = Laundry()
    Dirty().wash("os").system("touch MARK")
""",
}
# When: `due(completions, kwargs)`.
TRIGGERS = {
    "at once": "def due(completions, kwargs): return True",
    "in a large batch": "def due(completions, kwargs): return len(completions) > 64",
    "at a later step": (
        "def due(completions, kwargs):\n"
        "    state = kwargs.get('trainer_state')\n"
        "    return state is not None and state.global_step > 100"
    ),
    "for one content": (
        "def due(completions, kwargs): return any('open sesame' in c for c in completions)"
    ),
    "in a second call": (
        "calls = []\ndef due(completions, kwargs):\n    calls.append(1)\n    return len(calls) > 1"
    ),
}
REWARD = """
{payload}
{trigger}
def reward(completions, **kwargs):
    if due(completions, kwargs):
        {strike}
    return [float("42" in c) for c in completions]
"""
ATTACKS = [
    pytest.param(REWARD, payload, trigger, quiet, id=f"{payload}, {trigger}{', quiet' * quiet}")
    for payload, trigger, quiet in itertools.product(PAYLOADS, TRIGGERS, (False, True))
    if quiet or trigger == "at once"
]


class _State:
    def __init__(self, step: int) -> None:
        self.global_step = step


@pytest.mark.parametrize(("text", "payload", "trigger", "quiet"), ATTACKS)
def test_an_attack_has_no_effect_in_the_caller(witness, text, payload, trigger, quiet):
    mark = str(witness.folder / "mark")
    body = PAYLOADS[payload].replace("MARK", mark).replace("PORT", str(witness.port))
    strike = "strike()"
    if quiet:
        strike = "try: strike()\n        except Exception: pass"
    source = text.format(payload=body, trigger=TRIGGERS[trigger], strike=strike)
    stateful = trigger == "in a second call"
    status = _score_twice(source, ["42", "open sesame"] * 40, stateful=stateful)
    assert status in ("", "DENIED", "ERROR")
    assert witness.unchanged()


def _score_twice(source, completions, *, stateful):
    """How its child ended; nothing if it got by without its payload, and has scored."""
    try:
        reward = load_reward(source, stateful=stateful)
    except RewardError as error:
        return error.status
    try:
        for _ in range(2):
            given = reward(completions=completions, trainer_state=_State(200))
            assert given == [1.0, 0.0] * (len(completions) // 2)
    except RewardError as error:
        return error.status
    finally:
        reward.close()
    return ""


def test_there_are_many_attacks_and_most_are_delayed():
    assert len(ATTACKS) >= 60
    assert sum("at once" not in str(attack.id) for attack in ATTACKS) >= len(ATTACKS) / 2


@pytest.mark.parametrize("part", range(4))
def test_what_the_gate_refuses_has_no_effect_either(witness, corpus, part):
    """Contained functions of its tests, each with a large batch."""
    evasive = list(corpus("evasive.txt").items())
    step = 8
    for title, source in evasive[part * 2 :: step]:
        if title.startswith("over-budget"):
            continue
        try:
            reward = load_reward(source, cpu_seconds=2, budget_seconds=20)
            answers = reward(completions=["42"] * 70, answer=["42"] * 70, prompts=["p"] * 70)
            assert len(answers) == 70
        except (RewardError, ValueError):
            pass
        assert witness.unchanged(), title
