"""Files that `sandbox run` gives a program, and those that it takes back and writes."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from sandbox.runtime.wire.files import given, patterns

FileOption = Annotated[
    list[str] | None,
    typer.Option(
        "--file",
        metavar="SRC[:DEST]",
        help="A file, or a directory with all below it, that the program finds as DEST.",
    ),
]
OutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--out",
        metavar="PATTERN",
        help="Files of the program's that are written below the current directory.",
    ),
]
_DIRECTORY = os.O_DIRECTORY | os.O_RDONLY
_WRITE = os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def files_of(texts: Sequence[str] | None) -> dict[str, bytes]:
    """Read the files of `--file`, by the names that the program gets. Raises typer.BadParameter."""
    found: dict[str, bytes] = {}
    for text in texts or ():
        source, colon, name = text.rpartition(":")
        if not colon:
            source, name = text, Path(text).name
        try:
            found.update(_read(Path(source), name))
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}"
            raise typer.BadParameter(reason, param_hint="--file") from None
    try:
        return given(found)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--file") from None


def _read(source: Path, name: str) -> Iterable[tuple[str, bytes]]:
    if not source.is_dir():
        yield name, source.read_bytes()
        return
    for path in sorted(source.rglob("*")):
        if path.is_file():
            yield f"{name}/{path.relative_to(source).as_posix()}", path.read_bytes()


def patterns_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the patterns of `--out`. Raises typer.BadParameter."""
    try:
        return patterns(list(texts or ()))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--out") from None


def write_files(files: Mapping[str, bytes], top: str = ".") -> None:
    """Write `files` below `top`, whose names the sandbox has checked. Raises typer.BadParameter.

    No symbolic link is followed, so that a name leads to no other place; what is no regular file is
    not written to. An absolute name is taken as one below `top`, too.
    """
    for name, content in files.items():
        try:
            _write(top, name.lstrip("/").split("/"), content)
        except OSError as error:
            told = f"{name}: {error.strerror}"
            raise typer.BadParameter(told, param_hint="--out") from None


def _write(top: str, parts: Sequence[str], content: bytes) -> None:
    above = os.open(top, _DIRECTORY)
    try:
        for part in parts[:-1]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=above)
            below = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
            os.close(above)
            above = below
        made = os.open(parts[-1], _WRITE, 0o644, dir_fd=above)
        with os.fdopen(made, "wb") as out:
            if not stat.S_ISREG(os.fstat(made).st_mode):
                raise OSError(errno.EPERM, "not a regular file")
            os.ftruncate(made, 0)
            out.write(content)
    finally:
        os.close(above)
