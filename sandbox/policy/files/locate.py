"""Find the line of a key or grant in a policy's text, for a code host to show a finding there."""

import re
from collections.abc import Callable

_HEADER = re.compile(r"^\s*\[\[?\s*([\w.]+)\s*\]?\]")
_KEY = re.compile(r"""^\s*(?:"([^"]*)"|'([^']*)'|([^"'=\s]+))\s*=""")


class Text:
    """The lines of a policy file, with the table and the grant that each belongs to."""

    def __init__(self, text: str) -> None:
        self._rows: list[tuple[str, int, str]] = []  # table, number of the grant, line
        # One pass: a text has as many problems as lines, and each asks for its own.
        self._keys: dict[tuple[str, str], int] = {}
        self._headers: dict[str, list[int]] = {}
        table, grant = "", 0
        for number, line in enumerate(text.splitlines(), start=1):
            if header := _HEADER.match(line):
                table, grant = header[1], grant + 1
                self._headers.setdefault(table, []).append(number)
            elif key := _KEY.match(line):
                self._keys.setdefault((table, key[1] or key[2] or key[3] or ""), number)
            self._rows.append((table, grant, line))

    def key(self, table: str, key: str) -> int | None:
        """Return the line of `key = …` in `table`; the top of a file is the table ""."""
        return self._keys.get((table, key))

    def builtin(self, name: str) -> int | None:
        """Return the line where the builtin `name` is granted."""
        return self._first(lambda where, _, line: where == "builtins" and _quotes(line, name))

    def module(self, module: str, name: str = "") -> int | None:
        """Return the line where `name` of `module`, or the module itself, is granted."""
        grants = {
            grant
            for where, grant, line in self._rows
            if where == "modules" and re.match(r"^\s*module\s*=", line) and _quotes(line, module)
        }
        found = None
        if name and name != "*":
            found = self._first(
                lambda _, grant, line: (
                    grant in grants
                    and not re.match(r"^\s*(module|reason)\s*=", line)
                    and _quotes(line, name)
                )
            )
        return found or self._first(
            lambda _, grant, line: grant in grants and bool(re.match(r"^\s*module\s*=", line))
        )

    def table(self, table: str, number: int) -> int | None:
        """Return the line of the header of the `number`th `[[table]]`, from 0."""
        headers = self._headers.get(table, [])
        return headers[number] if number < len(headers) else None

    def grant(self, path: str) -> int | None:
        """Return the line where the grant `path` (`pow`, `math`, `math.pi`) is made."""
        module, _, name = path.rpartition(".")
        if module and (line := self.module(module, name)):
            return line
        return self.module(path) or self.builtin(path)

    def path(self, key: str) -> int | None:
        """Return the line of a key as in messages: `limits.cpu_seconds`, `modules[2].names[0]`."""
        if index := re.match(r"^(builtins|modules)\[(\d+)\]", key):
            return self.table(index[1], int(index[2]))
        table, _, name = key.partition(".")
        name = re.sub(r"\[.*", "", name)
        if name:
            return self.key(table, name) or self.key("", f"{table}.{name}")
        return self.key("", re.sub(r"\[.*", "", table))

    def _first(self, matches: Callable[[str, int, str], bool]) -> int | None:
        for number, row in enumerate(self._rows, start=1):
            if matches(*row):
                return number
        return None


def _quotes(line: str, name: str) -> bool:
    return re.search(rf"[\"']{re.escape(name)}[\"']", line) is not None
