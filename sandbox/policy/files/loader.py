"""From a name or a path to a policy: finds the file, follows `extends`, merges, validates.

`kind` is the class that each file of a chain becomes: `model.Policy`, which imports this.
"""

import os
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar, cast

from sandbox.errors import PolicyError, Problem, policy_error
from sandbox.policy.files.content import Content
from sandbox.policy.files.document import Document, parse
from sandbox.policy.files.merge import merge
from sandbox.policy.files.problems import located
from sandbox.policy.tighten import did_you_mean

SUFFIX = ".toml"
DEEPEST = 8  # files in one chain of extends

Chain = tuple[str, ...]
P = TypeVar("P", bound=Content)


@lru_cache(maxsize=1)
def shipped() -> tuple[str, ...]:
    """Return the names of the policies that come with the package, sorted."""
    names = (entry.name for entry in _shipped_folder().iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load(kind: type[P], name_or_path: str | os.PathLike[str]) -> P:
    """Load a shipped policy by name, or a policy from a file. Raises PolicyError."""
    if isinstance(name_or_path, str) and name_or_path in shipped():
        return cast(P, _load_shipped(kind, name_or_path))
    path = os.fspath(name_or_path)
    if not isinstance(name_or_path, os.PathLike) and not path.endswith(SUFFIX):
        raise policy_error(Problem(reason=_no_such_policy(path)))
    return _load_file(kind, Path(path), ())


def from_text(kind: type[P], text: str, origin: str) -> P:
    """Make a policy from the text of a file. Raises PolicyError."""
    return _build(kind, text, origin, Path(), (origin,), "policy")


def _shipped_folder() -> Traversable:
    try:
        return resources.files("sandbox.policies")
    except ModuleNotFoundError:  # a checkout that is on sys.path but not installed
        return Path(__file__).resolve().parents[3] / "policies"


@lru_cache(maxsize=32)
def _load_shipped(kind: type[Content], name: str, chain: Chain = ()) -> Content:
    origin = f"policies/{name}{SUFFIX}"
    text = (_shipped_folder() / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    return _build(kind, text, origin, None, _link(chain, origin), name)


def _load_file(kind: type[P], path: Path, chain: Chain) -> P:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _refused(str(path), f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise _refused(str(path), f"is not UTF-8 text: {error}") from error
    chain = _link(chain, str(path.resolve()))
    return _build(kind, text, str(path), path.parent, chain, path.stem)


def _link(chain: Chain, file: str) -> Chain:
    longer = chain + (file,)
    if file in chain:
        raise _refused(chain[0], f"goes in a circle: {' -> '.join(longer)}", "extends")
    if len(longer) > DEEPEST:
        raise _refused(chain[0], f"deeper than {DEEPEST} files", "extends")
    return longer


def _build(
    kind: type[P], text: str, origin: str, folder: Path | None, chain: Chain, stem: str
) -> P:
    try:
        document = parse(text, origin)
        parent = _parent(kind, document, origin, folder, chain)
        return merge(kind, parent, document, origin=origin, stem=stem)
    except PolicyError as error:
        raise located(error, origin, text) from error.__cause__


def _parent(
    kind: type[P], document: Document, origin: str, folder: Path | None, chain: Chain
) -> Content | None:
    if "extends" not in document:
        return None
    target = document["extends"]
    if target in shipped():
        return _load_shipped(kind, target, chain if folder is None else ())
    if folder is None or not target.endswith(SUFFIX):
        raise _refused(origin, _no_such_policy(target), "extends")
    return _load_file(kind, folder / target, chain)


def _refused(file: str, reason: str, key: str = "") -> PolicyError:
    return policy_error(Problem(file=file, key=key, reason=reason))


def _no_such_policy(name: str) -> str:
    known = shipped()
    return (
        f"no shipped policy is named {name!r}{did_you_mean(name, known)}; shipped are "
        f"{', '.join(known)}; a path ends in {SUFFIX}"
    )
