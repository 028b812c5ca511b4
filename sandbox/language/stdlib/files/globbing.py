"""A stand-in for `glob`: names in the tree of the program."""

from collections.abc import Iterator
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.guest.files.paths import checked, encoded
from sandbox.language.stdlib.files.path_wildcards import found_below
from sandbox.language.stdlib.files.wildcards import has_wildcards


def glob(context: Context) -> dict[str, Any]:
    """By name."""
    tree = context.state.files.tree

    def iglob(
        pathname: Any,
        *,
        root_dir: Any = None,
        dir_fd: Any = None,
        recursive: Any = False,
        include_hidden: Any = False,
    ) -> Iterator[Any]:
        given = checked(pathname)
        text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
        start = "/" if text.startswith("/") else "." if root_dir is None else checked(root_dir)
        top = tree.get(start)
        if top is None or not text:
            return iter(())
        if not has_wildcards(text):
            there = tree.get(text if root_dir is None else f"{start}/{text}")
            return iter([given] if there is not None else [])
        parts = tuple(part for part in text.split("/") if part)
        if not recursive:
            parts = tuple("*" if part == "**" else part for part in parts)
        listed = [*found_below(top, parts, hidden=bool(include_hidden), files_too=True)]
        if parts[-1:] == ("**",):  # what it stands for itself ends in a slash
            listed = [n if len(n) != len(parts) - 1 or not n else (*n, "") for n in listed]
        begin = "/" if text.startswith("/") else ""
        end = "/" if text.endswith("/") else ""
        found = ("/".join(names) + end * (names[-1:] != ("",)) for names in listed if names)
        return iter([encoded(begin + each, given) for each in found])

    def glob(
        pathname: Any,
        *,
        root_dir: Any = None,
        dir_fd: Any = None,
        recursive: Any = False,
        include_hidden: Any = False,
    ) -> list[Any]:
        options = {"recursive": recursive, "include_hidden": include_hidden}
        return [*iglob(pathname, root_dir=root_dir, **options)]

    def escape(pathname: Any) -> Any:
        given = checked(pathname)
        text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
        return encoded("".join(f"[{char}]" if char in "*?[" else char for char in text), given)

    def has_magic(s: Any) -> bool:
        given = checked(s)
        return has_wildcards(given if isinstance(given, str) else given.decode("latin-1"))

    return {"glob": glob, "iglob": iglob, "escape": escape, "has_magic": has_magic}
