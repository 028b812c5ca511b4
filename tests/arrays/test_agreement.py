"""Operations on many values give under `contest-numpy` what they give under CPython.

Results are compared by their texts and types, errors by their classes.
"""

import difflib
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from sandbox import Sandbox, Status

_BINARY = """
a+b; a-b; a*b; a/b; a//b; a%b; a**b; a<<b; a>>b; a&b; a|b; a^b; a@b; a<b; a<=b; a==b; a!=b
divmod(a,b); max(a,b); np.add(a,b); np.maximum(a,b); np.power(a,b); np.hypot(a,b); np.dot(a,b)
np.outer(a,b); np.array([a,b]); np.where(True,a,b); np.isclose(a,b); np.stack([a,b])
np.append(a,b); np.full(2,a)+b; a in [b]; (a and b); (a or b); np.result_type(a,b).name
"""
_UNARY = """
-a; +a; ~a; abs(a); int(a); float(a); complex(a); bool(a); str(a); repr(a); f"{a}"; f"{a:.3f}"
f"{a:>8}"; f"{a:e}"; "%d" % a; "%s" % a; round(a); round(a,1); a.dtype.name; a.shape; a.ndim
a.size; a.item(); a.tolist(); a.real; a.imag; a.conj(); a.T; a.astype(int); a.astype(str)
a.astype(bool); a.nbytes; a.sum(); a.mean(); a.max(); a.argmax(); a.any(); a.std(); a.cumsum()
a.round(1); a.ravel(); a.tobytes(); list(range(a)); [10,20,30,40,50,60][a]; "x"*a; list(a)
sorted(a); sum(a); a[0]; a[-1]; a[5]; a[1:]; a[::-1]; a[None]; a[...]; a[()]; a[[0,1]]; a[a]
a[a>1]; a[1.0]; a[True]; a[0,0]; a[:,0]; type(a).__name__; type(a).__module__; isinstance(a,int)
isinstance(a,float); isinstance(a,np.integer); isinstance(a,np.floating)
isinstance(a,np.ndarray); isinstance(a,numbers.Integral); isinstance(a,numbers.Real)
math.sqrt(a); math.floor(a); math.isnan(a); math.gcd(a,4); np.sqrt(a); np.floor(a); np.sign(a)
np.isnan(a); np.sort(a); np.unique(a); np.diff(a); np.array(a,dtype=np.int8)
np.array(a,dtype=bool); np.zeros(a); np.arange(a); np.float64(a); np.int64(a); np.int8(a)
np.bool_(a); np.complex128(a); json.dumps(a); json.dumps(a.tolist()); copy.copy(a)
hash(a) == hash(a.item()); bin(a); a.is_integer(); pow(a,2); sum([a,a]); {a:1}[a]; not a
np.repeat(a,2); np.flip(a); np.nonzero(a); np.linalg.norm(a); np.linalg.inv(a); np.median(a)
np.clip(a,0,1); np.bincount(a); np.iterable(a); a.flags.writeable if np.ndim(a) else 0
list(a.flat); np.asarray(a) is a; a.swapaxes(0,1); a.fill(1) if np.ndim(a) else 0; len(a)
statistics.mean([a,a])
"""
VALUES = """
3; -2.5; True; 1j; np.int8(100); np.uint8(200); np.int64(-7); np.uint64(3); np.float16(1.5)
np.float32(0.1); np.float64(2.5); np.float64("nan"); np.bool_(True); np.complex64(1+2j)
np.complex128(2); np.int64(0); np.array([1,2]); np.array([1.5,2.5]); np.array([[1,2],[3,4]])
np.array(7); np.array([True,False]); np.array([]); np.array([1,2,3]); np.array([3],dtype="u1")
np.arange(3,dtype="f4"); np.array([1+1j])
"""
HEAD = """
import copy, json, math, numbers, statistics, warnings
import numpy as np
warnings.simplefilter("ignore")
"""


pytestmark = pytest.mark.skipif(
    find_spec("numpy") is None or tuple(map(int, version("numpy").split(".")[:2])) < (2, 4),
    reason="what older versions only warn of is an error in the sandbox",
)


def _listed(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split("; ") if part.strip()]


def _program(head: str, operations: str, names: str, calls: list[str]) -> str:
    table = "".join(f"({text!r}, lambda {names}: {text}),\n" for text in _listed(operations))
    lines = [
        head,
        f"OPERATIONS = [\n{table}]",
        "def tried(told, *given):",
        "    for text, of in OPERATIONS:",
    ]
    lines += [
        "        try:",
        "            found = of(*given)",
        "            print(told, text, repr(found), type(found).__name__)",
    ]
    lines += ["        except Exception as error: print(told, text, type(error).__name__)", *calls]
    return "\n".join(lines)


PROGRAMS = {
    "of one": _program(HEAD, _UNARY, "a", [f"tried({v!r}, {v})" for v in _listed(VALUES)]),
    **{
        f"of two, {left}": _program(
            HEAD, _BINARY, "a, b", [f"tried({v!r}, {left}, {v})" for v in _listed(VALUES)]
        )
        for left in _listed(VALUES)
    },
}
# The name of an error's class of numpy's that is private there.
_OTHER_NAMES = {
    "_UFuncNoLoopError": "UFuncTypeError",
    "_UFuncBinaryResolutionError": "UFuncTypeError",
}


@pytest.mark.parametrize("title", PROGRAMS)
def test_operations_agree(contest: Sandbox, title: str) -> None:
    plain = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAMS[title]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    result = contest.run(PROGRAMS[title])
    assert result.status is Status.OK, result
    differing = difflib.unified_diff(_lines(plain.stdout), _lines(result.output), n=0)
    assert [line for line in differing if line[:2] not in ("@@", "--", "++")] == []


def _lines(text: str) -> list[str]:
    for name, other in _OTHER_NAMES.items():
        text = text.replace(name, other)
    return text.splitlines()
