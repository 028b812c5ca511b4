"""A guest outside of every guard finds no object of numpy's, with all kernel layers off."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from sandbox.fuzz.targets.exposed import PLANT
from sandbox.fuzz.targets.setups import KERNEL_LAYERS

from sandbox import Policy, Sandbox, Status
from sandbox.runtime.caller import supervisor_handle

_SERVE = "main(config)\n"


@pytest.fixture(scope="module")
def unguarded() -> Iterator[Sandbox]:
    """With the interpreter layer alone, and what no program gets in the program's hands."""
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    layers = dict.fromkeys(KERNEL_LAYERS, "off")
    policy = Policy.load("contest-numpy").replaced(layers=layers, require_any=(), testing=True)
    before = supervisor_handle._BOOT
    supervisor_handle._BOOT = before.replace(
        _SERVE, f"exec({PLANT!r}, dict(__name__='plant'))\n{_SERVE}"
    )
    try:
        with Sandbox(policy, workers=1) as sandbox:
            yield sandbox
    finally:
        supervisor_handle._BOOT = before


SEARCHES = {
    "modules": "found = [n for n in sys.modules if 'numpy' in n and not n.startswith('sandbox')]",
    "the engine's modules": "found = [n for n in sys.modules if n.endswith('.crossing')]",
    "classes": """
todo, seen = [object, type, int, float, str, Exception], set()
while todo:
    cls = todo.pop()
    if id(cls) not in seen:
        seen.add(id(cls))
        todo += type.__subclasses__(cls)
        if 'numpy' in repr(cls) and 'sandbox' not in repr(cls): found.append(cls)
""",
    "globals of functions": """
todo, seen = [sys.modules, builtins.__dict__], set()
while todo and len(seen) < 20000:
    o = todo.pop()
    if id(o) in seen: continue
    seen.add(id(o))
    if 'numpy' in str(type(o)): found.append(o)
    if type(o) is dict: todo += o.values()
    elif type(o) in (list, tuple, set): todo += o
    elif type(o) is type(sys): todo.append(o.__dict__)
    elif type(o) is type(lambda: 0):
        todo.append(o.__globals__)
        for cell in o.__closure__ or ():
            try: todo.append(cell.cell_contents)
            except ValueError: pass
""",
    "a hostile question": """
class Hostile:
    __array_interface__ = {'shape': (4,), 'typestr': '<i8', 'data': (4096, False), 'version': 3}
    def __array__(self, *rest, **options): found.append(rest)
    def __index__(self): found.append(self)
    __float__ = __len__ = __iter__ = __index__
h = Hostile()
for name in ('f:array', 'u:add', 'o:add', 'm:take', 'x:get', 'x:default_rng', 'f:concatenate'):
    for value in (h, [h], (h, [h]), {'a': h}, {'s': ('float64', h)}, {'d': h}, {'t': h}, slice(h)):
        for args in ((value,), ({'a': 1}, value), [value], value):
            for options in ({}, {'where': value}, {'dtype': value}, value):
                box = []
                sys.audit('sandbox.numpy', box, name, args, options)
                if box and box[0][0] == 'ok' and 'Hostile' in repr(box): found.append(box)
""",
}


@pytest.mark.parametrize("title", SEARCHES)
def test_nothing_of_numpys_is_found(unguarded: Sandbox, title: str) -> None:
    code = f"found = []\n{SEARCHES[title]}\nprint('GOT' if found else 'nothing', str(found)[:200])"
    result = unguarded.run(code)
    assert (result.status, result.output) == (Status.OK, "nothing []\n"), result


def test_a_plain_question_is_answered_there(unguarded: Sandbox) -> None:
    code = "box = []\nsys.audit('sandbox.numpy', box, 'f:sum', ([1, 2],), {})\nprint(box[0][:2])"
    assert unguarded.run(code).output == "('ok', {'s': ('int64', 3)})\n"


@pytest.mark.parametrize("title", ["modules", "classes", "globals of functions"])
def test_the_same_search_finds_numpy_where_nothing_hides_it(title: str) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    code = f"import builtins, numpy, sys\nfound = []\n{SEARCHES[title]}\nprint(len(found) > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
