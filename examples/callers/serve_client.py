"""Asks a sandbox server over HTTP, in each of the ways that it understands.

pip install 'restricted-execution[server]'
python examples/callers/serve_client.py               # starts a server for itself
python examples/callers/serve_client.py --url http://any:TOKEN@host:8080
"""

import argparse
import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from sandbox import Result


@contextmanager
def own_server() -> Iterator[str]:
    """The address of a server that ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.cli", "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise SystemExit(line + process.stderr.read())
        yield found[0]
    finally:
        process.terminate()
        process.communicate()


def post(url: str, path: str, body: Any) -> Any:
    """The answer to `body`. A token is taken from the address, as verl and OpenRLHF do."""
    parts = urlsplit(url)
    headers = {"content-type": "application/json"}
    if parts.password:
        known = f"{parts.username}:{parts.password}".encode()
        headers["authorization"] = f"Basic {b64encode(known).decode()}"
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"
    with urlopen(Request(address, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def show(url: str) -> None:
    """One question of each kind."""
    ran = post(url, "/run_code", {"code": "print(int(input()) * 2)", "stdin": "21"})
    print("run_code:", ran["status"], ran["run_result"]["stdout"].strip())

    endless = post(url, "/run_code", {"code": "while True: pass", "run_timeout": 0.2})
    print("run_code:", endless["status"], endless["run_result"]["status"])

    notebook = post(url, "/run_jupyter", {"cells": ["x = 6", "x * 7"]})
    print("run_jupyter:", notebook["status"], notebook["cells"][1]["display"][0]["text/plain"])

    job = {"code": "def area(w, h):\n    return w * h", "entry": "area", "args": [6, 7]}
    result = Result.from_json(json.dumps(post(url, "/execute", job)))
    print("execute:", result.status, result.value)

    jobs = [{"code": "print(input()[::-1])", "stdin": word} for word in ("stressed", "drawer")]
    batch = post(url, "/execute_batch", {"jobs": jobs})["results"]
    print("execute_batch:", *(item["result"]["output"].strip() for item in batch))

    prompt = "Print the double of the number that you read."
    query = prompt + "\n```python\nprint(int(input()) * 2)\n```<|im_end|>"
    tests = json.dumps({"inputs": ["1", "4"], "outputs": ["2", "8"]})
    asked = {"query": [query], "prompts": [prompt], "labels": [tests]}
    print("get_reward:", *post(url, "/get_reward", asked)["rewards"])


def main() -> None:
    """Ask the server that is named, or one of our own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url")
    url = parser.parse_args().url
    if url:
        show(url)
        return
    with own_server() as url:
        show(url)


if __name__ == "__main__":
    main()
