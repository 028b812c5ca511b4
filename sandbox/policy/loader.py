"""From a name or a path to a `Policy`: finds the file, follows `extends`, merges, validates."""

import os
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from sandbox.errors import PolicyError
from sandbox.policy.document import Document, parse
from sandbox.policy.merge import merge
from sandbox.policy.model import Policy
from sandbox.policy.problems import report
from sandbox.policy.tighten import did_you_mean

SUFFIX = ".toml"
DEEPEST = 8  # files in one chain of extends

Chain = tuple[str, ...]


@lru_cache(maxsize=1)
def shipped() -> tuple[str, ...]:
    """The names of the policies that come with the package, sorted."""
    names = (entry.name for entry in _shipped_folder().iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load(name_or_path: str | os.PathLike[str]) -> Policy:
    """A shipped policy by name, or a policy from a file. Raises PolicyError."""
    if isinstance(name_or_path, str) and name_or_path in shipped():
        return _load_shipped(name_or_path)
    path = os.fspath(name_or_path)
    if not isinstance(name_or_path, os.PathLike) and not path.endswith(SUFFIX):
        raise PolicyError(_no_such_policy(path))
    return _load_file(Path(path), ())


def from_text(text: str, origin: str) -> Policy:
    """A policy from the text of a file. Raises PolicyError."""
    return _build(text, origin, Path(), (origin,), "policy")


def _shipped_folder() -> Traversable:
    try:
        return resources.files("sandbox.policies")
    except ModuleNotFoundError:  # a checkout that is on sys.path but not installed
        return Path(__file__).resolve().parents[2] / "policies"


@lru_cache(maxsize=32)
def _load_shipped(name: str, chain: Chain = ()) -> Policy:
    origin = f"policies/{name}{SUFFIX}"
    text = (_shipped_folder() / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    return _build(text, origin, None, _link(chain, origin), name)


def _load_file(path: Path, chain: Chain) -> Policy:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise report(str(path), [f"cannot be read: {error.strerror or error}"]) from error
    except ValueError as error:
        raise report(str(path), [f"is not UTF-8 text: {error}"]) from error
    chain = _link(chain, str(path.resolve()))
    return _build(text, str(path), path.parent, chain, path.stem)


def _link(chain: Chain, file: str) -> Chain:
    longer = chain + (file,)
    if file in chain:
        raise report(chain[0], [f"extends: goes in a circle: {' -> '.join(longer)}"])
    if len(longer) > DEEPEST:
        raise report(chain[0], [f"extends: deeper than {DEEPEST} files"])
    return longer


def _build(text: str, origin: str, folder: Path | None, chain: Chain, stem: str) -> Policy:
    document = parse(text, origin)
    parent = _parent(document, origin, folder, chain)
    return merge(parent, document, origin=origin, stem=stem)


def _parent(document: Document, origin: str, folder: Path | None, chain: Chain) -> Policy | None:
    if "extends" not in document:
        return None
    target = document["extends"]
    if target in shipped():
        return _load_shipped(target, chain if folder is None else ())
    if folder is None or not target.endswith(SUFFIX):
        raise report(origin, [f"extends: {_no_such_policy(target)}"])
    return _load_file(folder / target, chain)


def _no_such_policy(name: str) -> str:
    known = shipped()
    return (
        f"no shipped policy is named {name!r}{did_you_mean(name, known)}; shipped are "
        f"{', '.join(known)}; a path ends in {SUFFIX}"
    )
