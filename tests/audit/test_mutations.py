"""The search sees dangerous grants: each alone, added to a policy that is clean without it."""

import pytest
from dangerous import GRANTS, MISSES

from sandbox import Policy
from sandbox.audit.findings import Severity
from sandbox.audit.policy.rules import SEVERITIES
from sandbox.audit.walk import reach

pytestmark = pytest.mark.xdist_group("mutations")  # the searches are made once
PLAN = Policy.load("strict").plan()
FEWEST, SHARE, PARTS = 60, 0.95, 3
LONG = pytest.mark.long  # of the searches, all but the first third


@pytest.fixture(
    scope="module", params=[0, *(pytest.param(part, marks=LONG) for part in range(1, PARTS))]
)
def paths(request) -> dict:
    """For each grant the shortest expression that leads to what no guest may hold, or None."""
    found = {}
    for grant in list(GRANTS)[request.param :: PARTS]:
        hits = [
            hit["path"]
            for hit in reach.walk(PLAN, (grant,))["hits"]
            if SEVERITIES[hit["rule"]] >= Severity.HIGH
        ]
        found[grant] = hits[0] if hits else None
    return found


def test_the_search_finds_a_path_from_nearly_every_dangerous_grant(paths, capsys):
    caught = [grant for grant, path in paths.items() if path is not None]
    with capsys.disabled():
        print(f"\ncaught {len(caught)} of {len(paths)} dangerous grants")
        for grant in paths.keys() - set(caught):
            print(f"  missed {grant.module} {grant.name}: {MISSES.get(grant, 'not explained')}")
    assert len(GRANTS) >= FEWEST
    assert len(MISSES) <= (1 - SHARE) * len(GRANTS)  # and no other is missed, see below
    assert caught


def test_every_miss_is_explained_and_no_explanation_is_stale(paths):
    missed = {grant for grant, path in paths.items() if path is None}
    assert missed == set(MISSES) & set(paths)
