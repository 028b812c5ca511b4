"""What a contained reward is given of a trainer's arguments, and what it may log."""

import datetime
import logging

import pytest

from sandbox import RewardError, load_reward

LENGTHS = "def lengths(completions, **kwargs):\n    return [float(len(c)) for c in completions]\n"


class _Array:
    """As of numpy or torch."""

    def __init__(self, *items):
        self.items = items

    def tolist(self):
        return list(self.items)


SEES = "def sees(completions, **kwargs):\n    print(kwargs)\n    return [float({})]\n"


@pytest.mark.parametrize(
    ("check", "column"),
    [
        ("kwargs['x'] == [1, 2]", _Array(1, 2)),
        ("kwargs['x'] == [[1], [2]]", [_Array(1), _Array(2)]),
        ("kwargs['x'] == ['2026-11-24']", [datetime.date(2026, 11, 24)]),
        ("kwargs['x'] == {'a': [1.5, None, True]}", {"a": [1.5, None, True]}),
        ("kwargs['x'] == [['a', 'b']]", [{"b", "a"}]),
        ("kwargs['x'] is None", None),
        ("'x' not in kwargs", object()),
        ("kwargs['x'] == ('é', 1)", ("é", 1)),
    ],
)
def test_arguments_become_plain_data(check, column):
    assert load_reward(SEES.format(check))(completions=["c"], x=column) == [1.0]


def test_a_column_that_no_child_can_be_given_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"images\[0\] holds a object, which is no plain data"):
        load_reward(LENGTHS)(completions=["a"], images=[object()])


def test_a_function_that_does_not_take_every_keyword_gets_what_it_takes():
    source = "def f(completions, answer):\n    return [float(completions == answer)]"
    assert load_reward(source)(prompts=["p"], completions=["a"], answer=["a"], more=[1]) == [1.0]


def test_the_state_of_the_trainer_is_a_copy():
    class State:
        def __init__(self):
            self.global_step, self.callback = 7, print

    source = """
def f(completions, trainer_state=None, **kwargs):
    trainer_state.global_step += 1
    return [float(trainer_state.global_step + hasattr(trainer_state, "callback"))]
"""
    state = State()
    assert load_reward(source)(completions=["a"], trainer_state=state) == [8.0]
    assert state.global_step == 7


def test_what_it_logs_reaches_the_trainer_within_bounds(caplog):
    source = """
import logging
log = logging.getLogger("mine")
def f(completions, log_extra=None, log_metric=None, **kwargs):
    for n in range(500):
        log.warning("row %d\\x1b[2J", n)
    log.info("not at this level")
    log_extra("column", [c.upper() for c in completions])
    log_metric("mean", 0.5)
    return [0.0 for c in completions]
"""
    columns, metrics = {}, {}
    reward = load_reward(source)
    with caplog.at_level(logging.INFO):
        reward(completions=["a"], log_extra=columns.__setitem__, log_metric=metrics.__setitem__)
    assert columns == {"column": ["A"]}
    assert metrics == {"mean": 0.5, "f/masked": 0.0}
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0] == "mine: row 0\\x1b[2J"
    assert len(lines) == 100


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("log_metric('m', 10 ** 400)", "a metric is a number"),
        ("log_metric('m', -10 ** 4000)", "a metric is a number"),
        ("log_metric('m', True)", "a metric is a number"),
        ("log_metric('f/masked', 0.0)", "not the function's"),
        ("log_extra('f/masked', [0.0])", "not the function's"),
    ],
)
def test_what_a_trainer_could_make_nothing_of_does_not_reach_it(said, reason):
    """It takes the mean of a metric, and has the share of masked rows from the caller."""
    source = f"""
def f(completions, log_metric, log_extra, **kwargs):
    log_metric("big", 10 ** 300)
    {said}
    return [1.0]
"""
    metrics, columns = {}, {}
    with pytest.raises(RewardError, match=reason):
        load_reward(source)(
            completions=["a"], log_metric=metrics.__setitem__, log_extra=columns.__setitem__
        )
    assert (metrics, columns) == ({"big": 10**300}, {})
