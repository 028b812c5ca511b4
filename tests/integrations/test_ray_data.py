"""`BatchRunner` and `BatchGrader` for Ray Data, by themselves and on a real local Ray."""

import pytest

from sandbox import PolicyError, Sandbox, SandboxError
from sandbox.integrations.ray import BatchGrader, BatchRunner


@pytest.mark.xdist_group("ray")
def test_batches_of_a_data_set_are_run_and_graded(cluster):
    data = pytest.importorskip("ray.data", reason="ray[data] is not installed")
    data.DataContext.get_current().enable_progress_bars = False
    one = data.ActorPoolStrategy(size=1)
    rows = [{"code": "print(int(input()) * 2)", "stdin": f"{n}\n", "n": n} for n in range(20)]
    rows.append({"code": "1 / 0", "stdin": "", "n": 20})
    ran = data.from_items(rows).map_batches(
        BatchRunner, fn_constructor_kwargs={"policy": "contest"}, compute=one, batch_size=8
    )
    taken = sorted(ran.take_all(), key=lambda row: row["n"])
    assert [row["output"] for row in taken] == [f"{n * 2}\n" for n in range(20)] + [""]
    assert [row["status"] for row in taken] == ["OK"] * 20 + ["ERROR"]
    assert {row["fault"] for row in taken} == {""}
    tests = {"inputs": ["1\n", "2\n"], "outputs": ["2\n", "4\n"]}
    graded = data.from_items(
        [
            {"n": n, "code": code, "tests": tests}
            for n, code in enumerate(["print(2)", rows[0]["code"]])
        ]
    ).map_batches(BatchGrader, compute=one)
    assert [row["score"] for row in sorted(graded.take_all(), key=lambda row: row["n"])] == [0, 1]


def test_a_null_is_no_program_and_no_input():
    codes = ["print('x')", None, "print(1)", float("nan")]
    ran = BatchRunner("contest", workers=1)({"code": codes, "stdin": ["", "", None, ""]})
    assert ran["output"] == ["x\n", None, "1\n", None]
    assert ran["status"] == ["OK", None, "OK", None]
    assert [bool(fault) for fault in ran["fault"]] == [False, True, False, True]
    read = {"code": ["import sys\nprint(len(sys.stdin.read()))"] * 2, "stdin": [None, "ab"]}
    assert BatchRunner("contest", workers=1)(read)["output"] == ["0\n", "2\n"]
    tests = [{"inputs": [""], "outputs": ["1"]}] * 4
    graded = BatchGrader(workers=1)({"code": codes, "tests": tests})
    assert (graded["score"], graded["masked"]) == ([0.0, None, 1.0, None], [False, True] * 2)
    empty = BatchGrader(workers=1)({"code": [None], "tests": tests[:1]})
    assert (empty["score"], empty["masked"]) == ([None], [True])


def test_a_fault_of_the_sandbox_is_no_verdict_in_a_data_set_and_a_wrong_setup_ends_it(monkeypatch):
    runner = BatchRunner("contest", workers=2)
    batch = {"code": ["print(1)", "print(2)"], "stdin": ["", ""]}

    def fail(job):
        raise SandboxError("the machine failed")

    whole = Sandbox.map
    monkeypatch.setattr(
        Sandbox,
        "map",
        lambda self, jobs: whole(self, (fail(j) if "2" in j.code else j for j in jobs)),
    )
    done = runner(batch)
    assert done["status"] == ["OK", None]
    assert (done["output"], done["error"]) == (["1\n", None], ["", None])
    assert done["fault"] == ["", "the machine failed"]
    with pytest.raises(PolicyError):
        BatchRunner("contest", workers=1, cpu_seconds=1000)(batch)
