"""Every page that the package makes escapes what it is given, and loads and runs nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from fuzz.judging.finds import Find, Report, StageReport
from fuzz.layers.depth_rows import Depth, Held, Row
from fuzz.page import page as fuzz_page
from fuzz.programs.attacks import Attack
from fuzz.targets.arena import Evidence
from sandbox.audit.findings import (
    Audit,
    Edge,
    Finding,
    Graph,
    LayerRow,
    Node,
    Proof,
    Rule,
    Severity,
)
from sandbox.audit.report.html import to_html
from sandbox.integrations.server.page import page as server_page

EVIL = "\"'></style></title><script>alert(1)</script><img src=x onerror=alert(1)>\udcff"


def audit_of_evil() -> str:
    finding = Finding(
        severity=Severity.HIGH,
        rule=EVIL,
        path=EVIL,
        explanation=EVIL,
        fix=EVIL,
        file=EVIL,
        line=1,
        proof=Proof(program=EVIL, status=EVIL, output=EVIL, control=EVIL),
    )
    node = Node(id=EVIL, label=EVIL, kind="grant", severity=Severity.HIGH)
    edge = Edge(source=EVIL, target=EVIL, label=EVIL)
    audit = Audit(
        kind="policy",
        subject=EVIL,
        file=EVIL,
        rules=(Rule(id=EVIL, title=EVIL, help=EVIL),),
        figures={EVIL: EVIL},
        layers=(LayerRow(name=EVIL, strength=EVIL, holds=EVIL),),
        graph=Graph(nodes=(node,), edges=(edge,)),
        findings=(finding,),
        verdict=EVIL,
    )
    return to_html([audit])


def campaign_of_evil() -> str:
    attack = Attack(
        id=EVIL, family=EVIL, mode="native", goal=EVIL, reference=EVIL, code=EVIL, means=EVIL
    )
    row = Row(attack=attack, evidence={"process": EVIL}, through_without=[EVIL])
    report = Report(policy=EVIL, seed=0, jobs=1, python=EVIL, layers={EVIL: EVIL})
    report.stages.append(StageReport(name=EVIL, setup=EVIL, skipped=EVIL))
    report.finds.append(
        Find(id=EVIL, setup=EVIL, layers=(EVIL,), evidence=(Evidence(EVIL, EVIL),), code=EVIL,
             shrunk=EVIL, seed=0)
    )  # fmt: skip
    report.depth = Depth(EVIL, [row], {EVIL: EVIL}, [Held(EVIL, EVIL, EVIL)])
    return fuzz_page(report)


def interface_of_evil() -> str:
    fields = {EVIL: {"type": EVIL, "default": EVIL}, "b": {"$ref": f"#/{EVIL}"}}
    choice = {"anyOf": [{"enum": [EVIL]}, {"type": "array", "items": {"type": EVIL}}]}
    body = {"content": {"application/json": {"schema": {"$ref": f"#/{EVIL}"}}}}
    operation = {
        "description": EVIL,
        "requestBody": body,
        "responses": {EVIL: {"description": EVIL, **body}},
    }
    schemas = {EVIL: {"description": EVIL, "properties": fields}, "other": choice}
    return server_page(
        {
            "info": {"title": EVIL, "description": EVIL},
            "paths": {EVIL: {"post": operation}},
            "components": {"schemas": schemas},
        }
    )


class Reader(HTMLParser):
    """Takes a page apart, and checks that what opens is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        assert not any(name.startswith("on") or name == "src" for name in given)
        assert (given.get("href") or "#").startswith(("#", "openapi.json"))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        if tag not in ("meta", "input", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "rect"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


PAGES = {"audit": audit_of_evil, "fuzz": campaign_of_evil, "server": interface_of_evil}


@pytest.mark.parametrize("made", PAGES.values(), ids=PAGES)
def test_what_a_page_is_given_is_text_in_it_and_nothing_else(made) -> None:
    page = made()
    reader = Reader(page)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 10
    assert not {"link", "iframe", "object", "img"} & set(reader.tags)
    page.encode("utf-8")  # a lone surrogate is no reason to lose a report


@pytest.mark.parametrize("made", PAGES.values(), ids=PAGES)
def test_a_page_loads_nothing_and_tells_the_browser_so(made) -> None:
    page = made()
    assert not re.search(r"https?://|url\(|@import", page)
    assert Reader(page).policy.startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_the_one_script_that_there_is_may_run_and_no_other() -> None:
    reader = Reader(campaign_of_evil())
    (script,) = reader.scripts
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert reader.policy.endswith(f"script-src 'sha256-{digest}'")
    for made in (audit_of_evil, interface_of_evil):
        assert Reader(made()).scripts == []
        assert "script-src" not in Reader(made()).policy


@pytest.mark.parametrize("made", PAGES.values(), ids=PAGES)
def test_the_pages_have_one_look_for_light_and_dark_and_for_a_phone(made) -> None:
    page = made()
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert "prefers-color-scheme: dark" in style
    assert 'name="viewport"' in page
    assert style == re.findall(r"<style>(.*?)</style>", audit_of_evil(), re.DOTALL)[0]


def test_every_field_of_a_filter_has_a_label() -> None:
    page = campaign_of_evil()
    for name in ("family", "goal", "text"):
        assert f'<label for="{name}">' in page
    assert re.search(r"<label><input[^>]*> \w+", page)
