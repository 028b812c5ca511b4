"""The text behind a reward function's source in its child: it calls the function and tells.

All that a child says is a claim of the function's about itself: the caller checks it.
"""

from typing import Any

from sandbox.rewards.arguments import FORWARDED, Record

TAKE, TELL, FORWARD = "reward_take", "reward_tell", "reward_forward"
_TEXT = """
class reward_record:
    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, name, value)
    def __repr__(self):
        return f"{{type(self).__name__}}({{vars(self)}})"


def reward_drive():
    try:
        import random
        random.seed({seed})
    except ImportError:
        pass
    {provided}
    function = {expression}
    case = {take}()
    while case is not None:
        positional, named = case["positional"], case["named"]
        for name, fields in case["records"].items():
            named[name] = reward_record(fields)
        for name in case["forwarded"]:
            named[name] = lambda *said, name=name: {forward}(name, said)
        try:
            value = function(*positional, **named)
            if type(value).__name__ == "coroutine":
                import asyncio
                value = asyncio.run(value)
        except Exception as error:
            if not case["goes_on"]:
                raise
            {tell}("raised", f"{{type(error).__name__}}: {{error}}"[:2000])
        else:
            {tell}("returned", value)
        case = {take}()


reward_drive()
"""
_PROVIDED = "global restricted_execution\n    from sandbox import restricted_execution"


def text(expression: str, *, provides: bool, seed: int) -> str:
    """Make the program that drives the function which `expression` gives.

    `provides` has it find `restricted_execution` where it does not import it; `seed` is what
    `random` starts with in each child.
    """
    return _TEXT.format(
        seed=seed,
        expression=expression,
        provided=_PROVIDED if provides else "",
        take=TAKE,
        tell=TELL,
        forward=FORWARD,
    )


def case(
    positional: list[Any], named: dict[str, Any], parameters: tuple[str, ...] | None, goes_on: bool
) -> dict[str, Any]:
    """Make one call as the driver takes it; `parameters` are all of the function's, if not any.

    With `goes_on` an exception of the function's ends the call and not the child.
    """
    taken = {k: v for k, v in named.items() if parameters is None or k in parameters}
    records = {k: v.fields for k, v in taken.items() if isinstance(v, Record)}
    forwarded = [name for name in FORWARDED if name in taken]
    plain = {k: v for k, v in taken.items() if k not in records and k not in forwarded}
    return {
        "positional": positional,
        "named": plain,
        "records": records,
        "forwarded": forwarded,
        "goes_on": goes_on,
    }
