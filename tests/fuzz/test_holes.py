"""The fuzzer is honest: of the holes that are planted its ordinary campaign finds nearly all."""

import contextlib
import time

import pytest
from holes import HOLES

from fuzz.campaign import AREAS, Campaign
from fuzz.layers import promises
from sandbox import Policy

_SEED, _SECONDS, _GENERATED = 1, 40.0, 60
_WANTED, _PARTS = 0.9, 8
LONG = pytest.mark.long  # of the hunts, all but the first


def hunt(name: str, policy: Policy) -> str:
    """Where a planted hole was found, or an empty text."""
    hole = HOLES[name]
    with hole.caller() if hole.caller else contextlib.nullcontext():
        report = Campaign(
            policy,
            seconds=_SECONDS,
            seed=_SEED,
            most=_GENERATED,
            areas=(hole.area,),
            planted=hole.source,
            stop_early=True,
        ).run()
    return report.finds[0].path() if report.finds else ""


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=LONG) for n in range(1, _PARTS))])
def test_planted_holes_are_found(
    contest: Policy, capsys: pytest.CaptureFixture[str], part: int
) -> None:
    """Each costs the start of a supervisor that has it; in parts, which several processes share."""
    found, started = {}, time.monotonic()
    for name in list(HOLES)[part::_PARTS]:
        found[name] = hunt(name, contest)
    with capsys.disabled():
        print(f"\nplanted holes, {time.monotonic() - started:.0f} s:")
        for name, path in found.items():
            print(f"  {'found ' if path else 'MISSED'} {name}: {path[:90]}")
    assert len(HOLES) >= 25
    assert sum(map(bool, found.values())) >= _WANTED * len(found), found


def test_nothing_is_found_where_nothing_is_planted(contest: Policy) -> None:
    """A campaign of fixed size and seed, with all that it has but the long resource attacks."""
    areas = set(AREAS) - {"limits"}
    report = Campaign(contest, seconds=300, seed=_SEED, most=40, areas=areas).run()
    assert [find.path() for find in report.finds] == []
    assert {stage.name for stage in report.stages} >= {
        *("corpus: language", "corpus: grader", "corpus: native", "corpus: protocol", "parsers"),
        *("generated", "mutated", "honest"),
    }
    alone = {stage.name: stage for stage in report.stages}
    for layer in set(promises.layers(contest)) - {"language"}:  # stopped all that it promises to
        stage, promised = alone[f"promise: {layer}"], promises.promised(layer)
        assert stage.skipped or stage.programs >= len(promised) >= 4, layer
    assert report.executions > 1000
