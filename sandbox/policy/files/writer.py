"""A policy as the text of a TOML file that extends nothing."""

import tomli_w

from sandbox.policy.files.content import Content
from sandbox.policy.files.fields import ALL

_MAY_BE_LEFT_OUT = (
    *("builtins", "modules", "packages", "threads", "files", "services", "deterministic"),
    *("testing", "as_restricted"),
)


def to_toml(policy: Content) -> str:
    """Write `policy` as TOML text; reading it gives an equal policy."""
    data = policy.model_dump(mode="json")
    for key in [key for key in _MAY_BE_LEFT_OUT if not data[key]]:
        del data[key]
    for grant in data.get("modules", ()):
        if grant["names"] == [ALL]:
            grant["names"] = ALL
    return tomli_w.dumps(data)
