"""/run_jupyter is SandboxFusion's interface, as its clients read it."""

import json
from base64 import b64decode, b64encode
from http.client import HTTPConnection
from importlib.util import find_spec
from typing import Any

import pytest


def ask(server: Any, *cells: str, **more: Any) -> Any:
    status, answer = server.ask("/run_jupyter", {"cells": list(cells), **more})
    assert status == 200, answer
    return answer


def test_cells_share_their_state_and_each_has_its_output(server: Any) -> None:
    answer = ask(server, "a = 'hello'", "a", "print(a)", "import sys; sys.stderr.write('e')")
    assert (answer["status"], answer["driver"]["status"]) == ("Success", "Finished")
    first, second, third, fourth = answer["cells"]
    assert first == {"stdout": "", "stderr": "", "display": [], "error": []}
    assert second["display"] == [{"text/plain": "'hello'"}]
    assert (third["stdout"], fourth["stderr"]) == ("hello\n", "e")


def test_a_cell_that_raises_is_told_and_the_next_goes_on(server: Any) -> None:
    cells = "x = 1\nassert False", "{}['a']", "1 +", "import socket", "print(x)"
    answer = ask(server, *cells)
    names = [cell["error"][0]["ename"] if cell["error"] else "" for cell in answer["cells"]]
    assert names == ["AssertionError", "KeyError", "SyntaxError", "DENIED", ""]
    assert answer["cells"][1]["error"][0]["evalue"] == "'a'"
    assert "Traceback" in answer["cells"][1]["error"][0]["traceback"][0]
    assert answer["cells"][4]["stdout"] == "1\n"


def test_files_cross_in_base64(server: Any) -> None:
    files = {"./in.txt": b64encode(b"20").decode()}
    code = "with open('out.txt', 'w') as f:\n    f.write(str(int(open('in.txt').read()) + 1))"
    answer = ask(server, code, files=files, fetch_files=["out.txt", "none.txt"])
    assert {name: b64decode(data) for name, data in answer["files"].items()} == {"out.txt": b"21"}
    for wrong in ({"files": {"a": "?"}}, {"files": {"../a": ""}}, {"fetch_files": ["*"]}):
        assert ask(server, "1", **wrong)["status"] == "SandboxError"


def test_times_of_a_cell_and_of_all(server: Any) -> None:
    answer = ask(server, "x = 1", "while True: pass", "x", cell_timeout=0.3)
    assert answer["cells"][1]["error"][0]["ename"] == "CPU_LIMIT"
    assert answer["cells"][2]["display"] == [{"text/plain": "1"}]
    answer = ask(server, "while True: pass", "1", total_timeout=0.5)
    assert (answer["status"], answer["driver"]["status"]) == ("Failed", "TimeLimitExceeded")
    assert len(answer["cells"]) == 1


def test_no_session_is_left_and_a_client_that_leaves_ends_its_own(run_server: Any) -> None:
    from .test_sessions import begin, until

    with run_server(workers=1, sessions=1, client_sessions=1) as server:
        for _ in range(3):
            assert ask(server, "1")["status"] == "Success"
        body = json.dumps({"cells": ["while True: pass"] * 20}).encode()
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("POST", "/run_jupyter", body, {"content-type": "application/json"})
        until(lambda: server.ask("/healthz")[1]["jobs"] == 1)
        connection.close()
        until(lambda: server.ask("/healthz")[1]["jobs"] == 0)
        assert begin(server).run("1")["value"] == 1
        assert server.ask("/run_jupyter", {"cells": ["1"]})[0] == 429


def test_what_the_cells_give_is_bounded_together(run_server: Any) -> None:
    with run_server(answer_bytes=1 << 20) as server:
        cell = "print('x' * 300_000)"
        assert ask(server, *[cell] * 3)["status"] == "Success"
        status, answer = server.ask("/run_jupyter", {"cells": [cell] * 4})
        assert (status, "1048576" in answer["fault"]) == (413, True)


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_a_figure_is_displayed(run_server: Any) -> None:
    with run_server(policy="science", workers=1) as server:
        cells = "import matplotlib.pyplot as plt", "plt.plot([1, 2], [3, 4])\nplt.show()"
        (shown,) = ask(server, *cells, total_timeout=60)["cells"][1]["display"]
        assert b64decode(shown["image/png"]).startswith(b"\x89PNG")
