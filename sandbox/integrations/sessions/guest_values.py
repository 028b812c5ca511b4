"""Source that a session runs before an agent's first cell: its values as data, tools, the answer.

The text of `PRELUDE` runs as guest code. It is `values` seen from the other side: a value that JSON
has no word for becomes a dict with the key `$`, its kind, and `v`. Nothing here is relied on by the
caller: a guest that changes it changes what it says of itself.
"""

PRELUDE = r'''
class FinalAnswerException(BaseException):
    """Ends a cell with the answer that the caller has by then; no `except Exception` stops it."""


class HeldByCaller:
    """Stands for an object of the caller's that is no plain data; tools take it as they gave it."""

    def __init__(self, number, text):
        self.number = number
        self.text = text

    def __repr__(self):
        return self.text


def sandbox_prepare_(
    bool=bool,
    bytearray=bytearray,
    bytes=bytes,
    complex=complex,
    dict=dict,
    float=float,
    frozenset=frozenset,
    getattr=getattr,
    hasattr=hasattr,
    hex=hex,
    int=int,
    isinstance=isinstance,
    list=list,
    map=map,
    object=object,
    range=range,
    repr=repr,
    set=set,
    str=str,
    tuple=tuple,
    type=type,
    all=all,
    enumerate=enumerate,
    Exception=Exception,
    FinalAnswerException=FinalAnswerException,
    HeldByCaller=HeldByCaller,
    sandbox_call_=sandbox_call_,
):
    # Bound here: a program may call a variable `list` or `str`.
    types = (bool, int, float, complex, str, bytes, list, tuple, dict, set, object)
    errors = {
        kind.__name__: kind
        for kind in (
            ArithmeticError, AssertionError, AttributeError, IndexError, KeyError, LookupError,
            NameError, NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError,
            ZeroDivisionError,
        )
    }


    def encode(value, depth=0):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -(2**63) < value < 2**63 else {"$": "int", "v": hex(value)}
        if kind is float:
            return value if value - value == 0 else {"$": "float", "v": repr(value)}
        if depth > 60:
            raise TypeError("the value is nested too deeply")
        each = lambda values: [encode(v, depth + 1) for v in values]
        if kind is HeldByCaller:
            return {"$": "held", "v": value.number}
        if kind is complex:
            return {"$": "complex", "v": [repr(value.real), repr(value.imag)]}
        if kind is bytes or kind is bytearray:
            return {"$": kind.__name__, "v": value.hex()}
        if kind is range:
            return {"$": "range", "v": [value.start, value.stop, value.step]}
        if kind is type and value in types:
            return {"$": "type", "v": value.__name__}
        module, name = kind.__module__, kind.__name__
        if module == "datetime" and name in ("datetime", "date", "time"):
            return {"$": name, "v": value.isoformat()}
        if module == "datetime" and name == "timedelta":
            return {"$": name, "v": [value.days, value.seconds, value.microseconds]}
        if module in ("decimal", "fractions") and name in ("Decimal", "Fraction"):
            return {"$": name, "v": str(value)}
        if module == "numpy" and name == "ndarray":
            return {"$": name, "v": [str(value.dtype), each(value.tolist())]}
        if module == "numpy" and hasattr(value, "dtype") and hasattr(value, "item"):
            return {"$": "scalar", "v": [str(value.dtype), encode(value.item(), depth + 1)]}
        if module.partition(".")[0] == "pandas" and name == "Series":
            told = [str(value.dtype), each(value.tolist()), each(value.index.tolist())]
            return {"$": name, "v": told + [encode(value.name, depth + 1)]}
        if module.partition(".")[0] == "pandas" and name == "DataFrame":
            columns = [value.iloc[:, n] for n in range(value.shape[1])]
            told = [[str(c.dtype), each(c.tolist())] for c in columns]
            names = [each(value.columns.tolist()), each(value.index.tolist())]
            return {"$": name, "v": names + [told]}
        if isinstance(value, dict):
            if all(type(key) is str and key != "$" for key in value):
                return {key: encode(v, depth + 1) for key, v in value.items()}
            pairs = [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]
            return {"$": "dict", "v": pairs}
        if isinstance(value, list):
            return each(value)
        for base in (tuple, set, frozenset):
            if isinstance(value, base):
                return {"$": base.__name__, "v": each(value)}
        for base in (bool, int, float, str):
            if isinstance(value, base):
                return encode(base(value), depth + 1)
        raise TypeError("an object of type " + repr(name) + " is no plain data: it stays here")


    def decode(told):
        if isinstance(told, list):
            return [decode(v) for v in told]
        if not isinstance(told, dict):
            return told
        if "$" not in told:
            return {key: decode(v) for key, v in told.items()}
        kind, v = told["$"], told["v"]
        if kind == "held":
            return HeldByCaller(v[0], v[1])
        if kind == "int":
            return int(v, 16)
        if kind == "float":
            return float(v)
        if kind == "complex":
            return complex(float(v[0]), float(v[1]))
        if kind == "bytes":
            return bytes.fromhex(v)
        if kind == "bytearray":
            return bytearray.fromhex(v)
        if kind == "range":
            return range(*v)
        if kind == "type":
            return {t.__name__: t for t in types}[v]
        if kind == "dict":
            return {decode(key): decode(value) for key, value in v}
        if kind == "tuple":
            return tuple(decode(v))
        if kind == "set":
            return set(decode(v))
        if kind == "frozenset":
            return frozenset(decode(v))
        if kind in ("datetime", "date", "time", "timedelta"):
            import datetime

            if kind == "timedelta":
                return datetime.timedelta(*v)
            return getattr(datetime, kind).fromisoformat(v)
        if kind == "Decimal":
            import decimal

            return decimal.Decimal(v)
        if kind == "Fraction":
            import fractions

            return fractions.Fraction(v)
        if kind == "ndarray":
            import numpy

            return numpy.array(decode(v[1]), dtype=v[0])
        if kind == "scalar":
            import numpy

            return numpy.dtype(v[0]).type(decode(v[1]))
        if kind == "Series":
            import pandas

            index, name = decode(v[2]), decode(v[3])
            return pandas.Series(decode(v[1]), index=index, name=name, dtype=v[0])
        if kind == "DataFrame":
            import pandas

            columns, index = decode(v[0]), decode(v[1])
            made = [pandas.Series(decode(c), index=index, dtype=d) for d, c in v[2]]
            table = pandas.DataFrame(dict(enumerate(made)), index=index)
            table.columns = columns
            return table
        raise TypeError("unknown kind of value: " + repr(kind))


    def tell(value):
        """Return `value` as data or, if it is none, how it is shown."""
        try:
            return encode(value)
        except Exception:
            shown = str(value)[:65536], repr(value)[:65536]
            return {"$": "shown", "v": [type(value).__name__, *shown]}


    def make_tool(name):
        def tool(*args, **kwargs):
            if name == "final_answer":  # what is no data is shown
                args, kwargs = tuple(map(tell, args)), {key: tell(v) for key, v in kwargs.items()}
                told = sandbox_call_(name, {"$": "tuple", "v": list(args)}, kwargs)
            else:
                told = sandbox_call_(name, encode(args), encode(kwargs))
            if told["error"] is not None:
                kind, text = told["error"]
                raise errors.get(kind, RuntimeError)(text)
            if told["final"]:
                raise FinalAnswerException(name)
            return decode(told["value"])

        return tool

    return encode, decode, tell, make_tool


sandbox_encode_, sandbox_decode_, sandbox_tell_, sandbox_tool_ = sandbox_prepare_()
'''
