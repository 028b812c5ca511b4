"""Library modules run as the program's own code, and do what they do in CPython."""

import re
import subprocess
import sys

import harness
import pytest
from listed import listed

from sandbox.language.library.reading import read
from sandbox.language.library.served import LENT, OWN, SERVED
from sandbox.language.stdlib.catalog import MODULES

PROGRAMS = listed("library.txt")
# So that what goes to standard error is in order with the rest.
_ONE_STREAM = "import sys; sys.stderr = sys.stdout\n"


def _plain(text: str, path: str = "<program>") -> str:
    """`text` without what differs from run to run, and without frames of the library."""
    text = re.sub(r"in \d+\.\d+s", "in 0s", text.replace(path, "<program>"))
    text = re.sub(r" at 0x[0-9a-f]+|id='\d+'", "", text)
    text = re.sub(r'^ *File "/[^"]*", line \d+, in .*\n(?:    +.*\n)*', "", text, flags=re.M)
    # An example of doctest's is a text that the program runs.
    return re.sub(
        r'^ *File "<(doctest .*|string)>", line \d+, in .*\n(?: {8,}.*\n)*', "", text, flags=re.M
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name, tmp_path):
    source = _ONE_STREAM + PROGRAMS[name]
    path = tmp_path / "program.py"
    path.write_text(source)
    plain = subprocess.run(
        [sys.executable, "-W", "ignore", path], capture_output=True, check=False, text=True
    )
    ran = run(source)
    assert _plain(ran.output) == _plain(plain.stdout, str(path)), ran
    assert (ran.status == "OK") == (plain.returncode == 0), (ran, plain.stderr)


def test_an_error_of_argparse_is_the_exit_status_2_with_its_usage_on_standard_error():
    import sandbox

    program = "import argparse\np = argparse.ArgumentParser('x')\np.add_argument('n', type=int)\n"
    with sandbox.Sandbox("algorithms", workers=1) as box:
        wrong = box.run(program + "p.parse_args()", argv=("a",))
        right = box.run(program + "print(p.parse_args())", argv=("5",))
    assert (wrong.status, wrong.error) == ("ERROR", "SystemExit: 2 (line 4)")
    usage = "usage: x [-h] n\nx: error: argument n: invalid int value: 'a'\n"
    assert (wrong.stdout, wrong.stderr) == ("", usage)
    assert right.stdout == "Namespace(n=5)\n"


def test_a_failing_unittest_ends_the_program_as_in_cpython():
    import sandbox

    program = "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n"
    with sandbox.Sandbox("algorithms", workers=1) as box:
        failed = box.run(program + "unittest.main()")
        passed = box.run(program.replace("self.fail()", "pass") + "unittest.main()")
    assert failed.status == "ERROR"
    assert "FAILED (failures=1)" in failed.stderr
    assert (passed.status, passed.stdout) == ("OK", "")
    assert passed.stderr.endswith("\n\nOK\n")


def test_what_nobody_imports_is_not_compiled(widest):
    facades, unfilled = widest.importer.facades, widest.importer.unfilled
    assert unfilled.keys() == {name for name in SERVED if name in MODULES}
    for name in unfilled:
        assert set(vars(facades[name])) <= {
            *("__name__", "__doc__", "__package__", "__loader__", "__spec__"),
            *(child.rpartition(".")[2] for child in facades if child.startswith(f"{name}.")),
        }


def test_every_module_that_is_named_has_a_text_or_a_stand_in():
    texts = read(SERVED)
    assert SERVED.keys() | OWN == texts.keys()
    assert MODULES.keys() >= LENT
    needed = {need for served in SERVED.values() for need in served.needs}
    assert needed <= texts.keys()


@pytest.mark.parametrize("name", SERVED)
def test_every_text_that_is_replaced_is_there_in_some_python(name):
    """A phrase that no supported Python has any more is one that nobody misses."""
    import importlib.util
    import os

    path = os.path.join(os.path.dirname(os.__file__), *name.split("."))
    file = os.path.join(path, "__init__.py") if os.path.isdir(path) else f"{path}.py"
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    replaced = read([name])[name].own
    assert importlib.util.find_spec(name.partition(".")[0]) is not None
    for word in SERVED[name].renamed:
        if word in text:
            assert word not in replaced or word in SERVED[name].renamed[word]


def test_what_a_library_module_imports_is_no_grant():
    world = harness.world(modules={"argparse": MODULES["argparse"]})
    ran = harness.run(world, "import argparse\nprint(argparse.Namespace(a=1))")
    assert ran.output == "Namespace(a=1)\n"
    for name in ("os", "sys", "re", "gettext", "unittest", "sandbox_library", "__main__"):
        ran = harness.run(world, f"import argparse\nimport {name}")
        assert ran.status == "DENIED", name


def test_only_the_granted_names_of_a_library_module_exist():
    world = harness.world(modules={"shlex": ("quote",)})
    assert harness.run(world, "import shlex\nprint(shlex.quote('a b'))").output == "'a b'\n"
    assert harness.run(world, "from shlex import split").status == "DENIED"
    assert harness.run(world, "import shlex\nshlex.split('a')").status == "DENIED"


def test_a_module_whose_text_is_not_there_cannot_be_imported(monkeypatch):
    from sandbox.language.library import reading

    monkeypatch.setattr(reading, "_LIBRARY", "/nowhere")
    world = harness.world(modules={"shlex": ("quote",)})
    assert harness.run(world, "import shlex").status == "DENIED"


def test_an_import_that_fails_is_tried_again(run):
    ran = run(
        "import sys\ndef go(n):\n    if n: return go(n - 1)\n    import argparse\n"
        "try: go(sys.getrecursionlimit() - 10)\nexcept RecursionError: print('deep')\n"
        "import argparse\nprint(argparse.Namespace(a=1))"
    )
    assert ran.output == "deep\nNamespace(a=1)\n", ran


def test_what_would_come_from_the_system_is_the_same_in_every_execution(run):
    source = (
        "import os, secrets\nprint(os.urandom(4), secrets.token_hex(4), secrets.randbelow(999))"
    )
    first, second = run(source), run(source)
    assert first.status == "OK", first
    assert first.output == second.output
    assert run("import os\nprint(len(os.urandom(10**5)), os.urandom(0))").output == "100000 b''\n"
    assert run("import os\nos.urandom(-1)").error.startswith("ValueError: negative argument")
