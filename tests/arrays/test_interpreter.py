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
    "what the library's functions are called with": """
import types
def is_numpys(o):
    cls = o if issubclass(type(o), type) else type(o)
    return str(type.__dict__['__module__'].__get__(cls)).split('.')[0] == 'numpy'
def watched(real):
    def call(*given, **named):
        found.extend(o for o in (*given, *named.values()) if is_numpys(o))
        return real(*given, **named)
    return call
FUNCTIONS = (types.FunctionType, type(len))
for name, module in [*sys.modules.items()]:
    if name.split('.')[0] in ('sandbox', '__main__', 'sys'): continue
    if type(module) is not type(sys): continue
    space = module.__dict__
    for key, value in [*space.items()]:
        if type(value) in FUNCTIONS and key not in ('__import__', '__build_class__'):
            try: space[key] = watched(value)
            except Exception: pass
questions = (
    ('f:linspace', 0, 1, {'s': ('int16', 5)}), ('f:roll', [1, 2], {'s': ('int16', 1)}),
    ('f:moveaxis', [[1]], {'s': ('int16', 0)}, 1), ('f:split', [1, 2], {'s': ('int16', 2)}),
    ('f:array2string', [[1, 2], [3, 4]]), ('f:linspace', 0, 1, 5), ('f:pad', [1, 2], 1),
    ('f:percentile', [1.5, 2], 50), ('f:polyfit', [1, 2, 3], [1, 2, 3], 1),
    ('f:histogram', [1, 2, 3]), ('f:einsum', 'ij->j', [[1, 2]]),
    ('f:linalg.svd', [[1.0, 2], [3, 4]]), ('f:linalg.norm', [1.0, 2]), ('f:fft.fft', [1, 2]),
    ('f:random.choice', 5), ('f:unique', [1, 2, 1]), ('x:limits', 'finfo', 'f8'),
    ('f:sum', [1, None]), ('f:mean', []), ('u:log', -1.0), ('u:divide', [1.0], 0),
    ('f:array', 'x', 'f8'), ('f:kron', [1, 2], [3]), ('f:gradient', [1, 2, 3]),
    ('f:take_along_axis', [1, 2], [0], 0), ('f:interp', 1, [1], [1]), ('u:add', 'a', 1),
    ('f:insert', [1, 2], 0, 3), ('f:roll', [1, 2], 1), ('f:average', [1, 2]), ('f:cov', [1, 2]),
    ('f:tensordot', [1, 2], [3, 4], 1), ('f:base_repr', 5), ('f:sum', [1], 5),
    ('f:array2string', [1.5], 75, 8, False, ', '), ('x:default_rng', 3), ('f:zeros', 10**9),
    ('f:nanmedian', [1.0, 2]), ('f:histogram2d', [1, 2], [1, 2]), ('f:linalg.qr', [[1.0]]),
)
answered = 0
for name, *args in questions:
    box = []
    sys.audit('sandbox.numpy', box, name, tuple(args), {})
    answered += box[0][0] == 'ok'
if answered < 25: found.append(answered)
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
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    code = f"import builtins, numpy, sys\nfound = []\n{SEARCHES[title]}\nprint(len(found) > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
