"""The files of a job and of its result: which names they may have, and the frame of one.

A name is a relative path below the working directory, or an absolute one below `/mnt` or `/tmp`; a
pattern is a name in which `*` and `?` stand for characters of one part and a part `**` for any
parts. A part that begins with a dot is matched by one that does, too. What a child sends is held
against the same rules by the caller: nothing else of what a program calls its files leaves.
"""

from collections.abc import Iterable, Mapping, Sequence

PATH_BYTES, PART_BYTES = 1024, 255  # of a name, and of what is between its slashes (NAME_MAX)
_MOST_PARTS, _MOST_PATTERNS = 64, 64
_ABSOLUTE = ("mnt", "tmp")
_LENGTH_BYTES = 2


def given(files: object) -> dict[str, bytes]:
    """Return the files of a job as bytes. Raises TypeError and ValueError for what is none."""
    if not isinstance(files, Mapping):
        raise TypeError(f"files must be a dict, not {type(files).__name__}")
    made: dict[str, bytes] = {}
    for name, content in files.items():
        if problem := wrong_name(name):
            raise ValueError(f"a file cannot be called {name!r}: {problem}")
        if not isinstance(content, (bytes, bytearray, memoryview, str)):
            kind = type(content).__name__
            raise TypeError(f"the file {name!r} must be bytes or a str, not {kind}")
        made[name] = content.encode() if isinstance(content, str) else bytes(content)
    for name in made:
        for above in _above(name):
            if above in made:
                raise ValueError(f"{above!r} cannot be a file and a directory with {name!r}")
    return made


def _above(name: str) -> Iterable[str]:
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def patterns(fetch: object) -> tuple[str, ...]:
    """Return what names the files that come back. Raises TypeError and ValueError."""
    if not isinstance(fetch, (list, tuple)) or not all(isinstance(each, str) for each in fetch):
        raise TypeError("fetch must be a list of str")
    if len(fetch) > _MOST_PATTERNS:
        raise ValueError(f"fetch has more than {_MOST_PATTERNS} patterns")
    for pattern in fetch:
        if problem := wrong_name(pattern):
            raise ValueError(f"fetch cannot have {pattern!r}: {problem}")
    return tuple(fetch)


def wrong_name(name: object) -> str:
    """Say why no file of a job's or a result's can have `name`; empty if one can."""
    if not isinstance(name, str):
        return f"a name is a str, not {type(name).__name__}"
    if not name:
        return "it is empty"
    if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in name):
        return "it has a control character"
    try:
        if len(name.encode()) > PATH_BYTES:
            return f"it is longer than {PATH_BYTES} bytes"
    except UnicodeEncodeError:
        return "it is not UTF-8"
    absolute = name.startswith("/")
    parts = name[absolute:].split("/")
    if absolute and (parts[0] not in _ABSOLUTE or len(parts) < 2):
        return "it is absolute, and neither below /mnt nor below /tmp"
    if "" in parts or "." in parts or ".." in parts:
        return "it has a part that is empty, '.' or '..'"
    if len(parts) > _MOST_PARTS or any(len(part.encode()) > PART_BYTES for part in parts):
        return f"it has more than {_MOST_PARTS} parts, or one of more than {PART_BYTES} bytes"
    return ""


def is_named(name: str, fetch: Sequence[str]) -> bool:
    """Say whether one of the patterns matches `name`."""
    parts = name.split("/")
    return name in fetch or any(_match(pattern.split("/"), parts) for pattern in fetch)


def _match(pattern: list[str], parts: list[str]) -> bool:
    """Match in a time that is the product of both lengths, whatever stands in them."""
    reached = {0}  # how many of `parts` the pattern so far can have taken
    for wanted in pattern:
        if wanted == "**":
            for at, part in enumerate(parts):
                if at in reached and not part.startswith("."):
                    reached.add(at + 1)
        else:
            reached = {
                at + 1 for at in reached if at < len(parts) and _match_part(wanted, parts[at])
            }
    return len(parts) in reached


def _match_part(wanted: str, part: str) -> bool:
    if part.startswith(".") and not wanted.startswith("."):
        return False
    at = place = 0
    star = back = -1
    while place < len(part):
        if at < len(wanted) and wanted[at] == "*":
            star, back = at, place
            at += 1
        elif at < len(wanted) and wanted[at] in ("?", part[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            back += 1
            at, place = star + 1, back
        else:
            return False
    return all(char == "*" for char in wanted[at:])


# -- the frame of one file


def cap(files_kib: int, files_count: int) -> int:
    """Return the most bytes that the frames of all files of one job can have."""
    return (files_kib << 10) + files_count * (_LENGTH_BYTES + PATH_BYTES)


def packed(name: str, content: bytes) -> bytes:
    """Return the payload of the frame of one file: two bytes of length, the name, the content."""
    called = name.encode()
    return b"".join((len(called).to_bytes(_LENGTH_BYTES, "little"), called, content))


def unpacked(payload: bytes) -> tuple[str, bytes]:
    """Return the name and the content of a file. Raises ValueError for what is no such payload."""
    begin = _LENGTH_BYTES + int.from_bytes(payload[:_LENGTH_BYTES], "little")
    if begin > len(payload) or len(payload) < _LENGTH_BYTES:
        raise ValueError("a file without a name")
    name = payload[_LENGTH_BYTES:begin].decode()
    if problem := wrong_name(name):
        raise ValueError(f"a file whose name is none: {problem}")
    return name, payload[begin:]
