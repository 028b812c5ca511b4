"""Make a page of a template beside this module, as one text that loads nothing."""

from base64 import b64encode
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined

# Escaping is on for every template: what a page shows may come from a guest or from a client.
_ENGINE = Environment(
    loader=PackageLoader("sandbox.pages", "."),
    autoescape=True,
    undefined=StrictUndefined,  # a name that is misspelled is an error, not an empty place
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **values: object) -> str:
    """Fill the file `template` of this package with `values`, each of them escaped.

    The text can be written as UTF-8: lone surrogates are shown as escapes.
    """
    text = _ENGINE.get_template(template).render(values)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def script_source(name: str) -> str:
    """Name the script in the file `name` for a page's content security policy (CSP 3, 2.3.1).

    A page that has this as its `script-src` runs that script and no other.
    """
    digest = sha256(render(name).encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
