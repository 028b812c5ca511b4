"""The command: a weak policy is broken, a good one is not, and the reports say so."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

from fuzz.campaign import Campaign
from fuzz.judging.finds import Find, Report, StageReport, save
from fuzz.layers.depth import Measurement
from fuzz.layers.depth_rows import STOPS, THROUGH, Depth, Held
from fuzz.page import page
from fuzz.programs import shrinking
from fuzz.programs.attacks import corpus, read
from fuzz.programs.generator import generate
from fuzz.programs.strategy import programs
from fuzz.replay import replay
from fuzz.targets.arena import Arena, Evidence
from sandbox import Policy
from sandbox.cli import app

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/fuzzing.md").read_text(encoding="utf-8")
WEAK = re.findall(r"^```toml\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)[0]


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    """The weak policy of the document, as a file."""
    path = tmp_path / "limits-only.toml"
    path.write_text(WEAK, encoding="utf-8")
    return path


def test_the_weak_policy_of_the_document_is_none_of_the_shipped_ones() -> None:
    assert tomllib.loads(WEAK)["name"] not in {p.stem for p in (ROOT / "policies").glob("*.toml")}


def test_the_weak_policy_is_broken_within_a_minute_with_program_and_path(
    weak: Path, tmp_path: Path
) -> None:
    finds, report = tmp_path / "finds", tmp_path / "report.json"
    arguments = ["fuzz", "--policy", str(weak), "--time", "15", "--finds", str(finds)]
    done = CliRunner().invoke(app, [*arguments, "--json", str(report)])
    assert done.exit_code == 1, done.output
    told = json.loads(report.read_text())
    assert told["seconds"] < 60
    canaries = [f for f in told["finds"] if f["evidence"][0][0] == "canary"]
    assert canaries
    assert "past process" in canaries[0]["path"]
    assert len(canaries[0]["shrunk"]) < len(canaries[0]["code"])
    assert canaries[0]["shrunk"] in done.output
    kept = finds / f"{canaries[0]['id'].replace('/', '-')}.toml"
    assert f"again: sandbox fuzz --policy {weak} --replay {kept}" in done.output
    again = CliRunner().invoke(app, ["fuzz", "--policy", str(weak), "--replay", str(kept)])
    assert again.exit_code == 1
    assert "canary" in again.output


def test_a_find_under_a_weak_policy_is_none_under_a_good_one(tmp_path: Path) -> None:
    find = Find(
        id="x/y",
        setup="target",
        layers=(),
        evidence=(Evidence("canary", "came out"),),
        code="print(open('@CANARY@').read())",
        shrunk="print(open('@CANARY@').read())",
        seed=1,
    )
    path = save(find, tmp_path)
    assert [attack.id for attack in read(path)] == ["x/y"]
    assert replay(Policy.load("strict"), path)["target"] == []


def test_an_interrupt_ends_a_campaign_with_the_report_so_far(contest: Policy) -> None:
    seen: list[int] = []

    def interrupt(stage: object, report: Report) -> None:
        seen.append(report.executions)
        if len(seen) == 30:
            raise KeyboardInterrupt

    report = Campaign(contest, seconds=30, areas=("language",), watch=interrupt).run()
    assert report.interrupted
    assert report.executions >= 30
    assert report.seconds < 25


def test_the_same_seed_runs_the_same_programs() -> None:
    import random

    first, second = (
        [generate(random.Random(7), ["json", "random"]) for _ in range(3)] for _ in range(2)
    )
    assert first == second
    assert generate(random.Random(8), ["json"]) != first[0]


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(program=programs(["json", "random", "operator"]))
def test_every_generated_program_is_python(program: tuple[str, str]) -> None:
    power, code = program
    assert power
    ast.parse(code)


def test_shrinking_keeps_what_is_needed_and_nothing_else() -> None:
    code = (
        "import math\ndef f():\n    for x in range(3):\n        print(x, 'needle' + str(1))\nf()\n"
    )
    small = shrinking.shrink(code, lambda text: "needle" in text)
    assert small.strip().strip("\"'") == "needle"
    assert shrinking.shrink("not python (", lambda text: True) == "not python ("


def test_depth_counts_the_layers_that_stop_an_attack_alone(contest: Policy) -> None:
    with Arena() as arena:
        measurement = Measurement(contest, arena, 1, lambda name: None)
        wanted = {"read-open", "code-rwx", "frame-generator-plain", "exit-in-module"}
        measurement._attacks = [a for a in measurement._attacks if a.id in wanted]
        measurement._rows = {name: measurement._rows[name] for name in wanted}
        measurement._columns()
        measurement._peel()
        rows = measurement._rows
    assert rows["read-open"].cells["seccomp"] == STOPS
    assert rows["read-open"].cells["descriptors"] == THROUGH
    assert rows["read-open"].depth >= 3
    assert rows["code-rwx"].cells["process"] == THROUGH
    assert rows["exit-in-module"].cells == {"process": STOPS, "language": THROUGH, "verdict": STOPS}
    assert all(row.depth >= 2 and not row.through_without for row in rows.values())


class Balanced(HTMLParser):
    """Fails on a tag that is closed and was not open, or the other way round."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.sources += [v or "" for k, v in attributes if k in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("deep", [True, False])
def test_the_page_is_whole_loads_nothing_and_escapes_what_a_guest_wrote(
    contest: Policy, deep: bool
) -> None:
    evil = "<script>alert(1)</script>"
    with Arena() as arena:
        rows = list(Measurement(contest, arena, 1, lambda name: None)._rows.values())[:40]
    rows[0].attack = replace(rows[0].attack, code=evil)
    rows[0].evidence["process"] = '"><b>'
    find = Find(
        id="f", setup="s", layers=(), evidence=(Evidence("o", evil),), code="", shrunk=evil, seed=0
    )
    depth = Depth("p", rows, {"landlock": evil}, [Held("a", "CPU_LIMIT", "WALL_LIMIT")])
    report = Report(policy=evil, seed=0, jobs=1, python="3", finds=[find])
    report.depth = depth if deep else None
    tried = StageReport(name="corpus: language", setup=evil)
    report.note(tried, rows[0].attack.id, "OK", (Evidence("canary", evil),))
    report.note(tried, rows[1].attack.id, "DENIED", ())
    text = page(report)
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert parser.sources == []
    assert evil not in text
    assert text.count("<script>") == 1
    assert ("cpu_seconds" in text) == deep
    assert (">DENIED</td>" in text) != deep


def test_a_page_without_depth_shows_each_attack_with_what_became_of_it(tmp_path: Path) -> None:
    wanted = tmp_path / "report.html"
    finds = str(tmp_path / "finds")
    arguments = ["fuzz", "--policy", "strict", "--time", "1", "--html", str(wanted)]
    done = CliRunner().invoke(app, [*arguments, "--finds", finds])
    assert done.exit_code == 0, done.output
    assert re.search(r"no time for \d+ more stages", done.output)
    assert re.search(r"[1-9]\d* of \d+ attacks tried, in \d+ sandboxes", done.output)
    text = wanted.read_text()
    assert sum(f"<summary>{attack.id}</summary>" in text for attack in corpus()) >= 20
    assert 'class="stops"' in text
    assert "<th>target</th>" in text


def test_the_module_runs_from_a_checkout(tmp_path: Path) -> None:
    arguments = ["--policy", "strict", "--time", "1", "--finds", str(tmp_path / "finds")]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 escapes" in done.stdout
