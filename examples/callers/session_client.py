"""Runs a program cell by cell over HTTP: state, a file, branches, a cell that is undone.

pip install 'restricted-execution[server]'
python examples/callers/session_client.py               # starts a server for itself
python examples/callers/session_client.py --url http://host:8080 --token TOKEN
"""

import argparse
import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from serve_client import own_server


class Session:
    """A session of a server's."""

    def __init__(self, url: str, token: str = "", id: str = "", **options: Any) -> None:
        self.url, self.token = url, token
        self.id = id or self.ask("POST", "/sessions", options)["id"]

    def ask(self, method: str, path: str, body: Any = None, content: bytes | None = None) -> Any:
        """The answer: JSON, or a file."""
        data = content if body is None else json.dumps(body).encode()
        kind = "application/json" if content is None else "application/octet-stream"
        headers = {"content-type": kind, "authorization": f"Bearer {self.token}"}
        with urlopen(Request(self.url + path, data, headers, method=method)) as answer:
            is_json = answer.headers["content-type"] == "application/json"
            return json.load(answer) if is_json else answer.read()

    def run(self, code: str) -> Any:
        """How a cell ended."""
        return self.ask("POST", f"/sessions/{self.id}/run", {"code": code})

    def fork(self, count: int) -> "list[Session]":
        """Branches, which begin with this state."""
        made = self.ask("POST", f"/sessions/{self.id}/fork", {"count": count})["sessions"]
        return [Session(self.url, self.token, each["id"]) for each in made]


def show(url: str, token: str) -> None:
    """Ask for some cells."""
    session = Session(url, token, limits={"cpu_seconds": 5})
    session.run("import math\nrows = [1, 4, 9]")
    print("value:", session.run("[math.isqrt(row) for row in rows]")["value_repr"])

    session.ask("PUT", f"/sessions/{session.id}/files/rows.txt", content=b"16\n25\n")
    session.run("rows += map(int, open('rows.txt'))")
    session.run("with open('sum.txt', 'w') as file:\n    print(sum(rows), file=file)")
    print("file:", session.ask("GET", f"/sessions/{session.id}/files/sum.txt").decode().strip())

    failed = session.run("rows.clear()\n1 / 0")
    print("undone:", failed["undone"], failed["error"].split(" (")[0])

    for number, branch in enumerate(session.fork(2)):
        branch.run(f"rows.append({number})")
        print("branch:", branch.run("rows")["value"])
    print("here:", session.run("rows")["value"])

    session.ask("DELETE", f"/sessions/{session.id}")
    try:
        session.run("rows")
    except HTTPError as error:
        print("closed:", error.code, json.load(error)["ended"])


def main() -> None:
    """Ask the server that is named, or one of our own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url")
    parser.add_argument("--token", default="")
    given = parser.parse_args()
    if given.url:
        show(given.url, given.token)
        return
    with own_server() as url:
        show(url, "")


if __name__ == "__main__":
    main()
