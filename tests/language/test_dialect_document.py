"""docs/dialect.md says what the language layer does."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/dialect.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .+? \| `(.+?)` \| (runs|refused) \|", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("example", "verdict"), ROWS)
def test_an_example_ends_as_its_row_says(run, example, verdict):
    ran = run(example.replace("⏎", "\n"))
    assert ran.status == {"runs": "OK", "refused": "DENIED"}[verdict], ran


def test_every_row_is_read_and_the_readme_links_the_document():
    assert len(ROWS) == len(re.findall(r"^\| .*\| (?:runs|refused) \|", TEXT, re.MULTILINE)) > 15
    assert "docs/dialect.md" in (ROOT / "README.md").read_text(encoding="utf-8")
