"""The site of these documents: `sphinx-build -W docs build/site`. It loads nothing from afar."""

from importlib.metadata import version as version_of

project = "restricted-execution"
author = copyright = "the authors of restricted-execution"
version = release = version_of("restricted-execution")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns: list[str] = []
myst_heading_anchors = 3
myst_links_external_new_tab = False
suppress_warnings: list[str] = []
highlight_language = "none"  # a block without a language is no Python

# Docstrings are plain text with `names` in backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"restricted-execution {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"footer_icons": []}


def setup(app: object) -> None:
    app.connect("autodoc-process-docstring", _show_examples)  # type: ignore[attr-defined]


def _show_examples(
    app: object, kind: str, name: str, of: object, options: object, lines: list[str]
) -> None:
    """Make code of what is indented in a docstring."""
    shown = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("    ") and not before.strip() and not _in_code(shown):
            shown += [".. code-block:: python", ""]
        shown.append(line)
    lines[:] = shown


def _in_code(lines: list[str]) -> bool:
    """Whether what was shown last, blank lines aside, is code already."""
    return next((line.startswith("    ") for line in reversed(lines) if line.strip()), False)
