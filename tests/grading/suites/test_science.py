"""Arrays of numpy and frames of pandas are in a test what they are in one process with it."""

from importlib.util import find_spec

import pytest

from sandbox import SandboxUnavailable, grade

from .samples import SCIENCE

pytestmark = pytest.mark.xdist_group("suites")


@pytest.mark.parametrize("pair", SCIENCE, ids=[pair["name"] for pair in SCIENCE])
def test_each_test_ends_as_in_one_process(pair: dict[str, str]) -> None:
    package = pair["name"].partition(":")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    try:
        row = {"test_code": pair["test"]}
        done = grade(pair["program"], row, policy="science", early_stop=False)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show packages to a child: {error}")
    assert len(done.cases) > 50
    ours = {case.name.partition("::")[2]: str(case.verdict) for case in done.cases}
    assert ours == {name: "failed" if "wrong" in name else "passed" for name in ours}
