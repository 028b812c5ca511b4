"""The text, in the program's child, that does what a test wants of the program and answers."""

from sandbox.grading.texts.holding import GUEST_CODEC

# A request is its number, the number of what is held or a tested name, what to do with it, its
# arguments, and whether the test sees what becomes of them. An answer is how it went, what it gave
# and whether its arguments may still change, and a text.
_SERVE = """
    from builtins import (
        GeneratorExit, ImportError, KeyboardInterrupt, RuntimeError, SystemExit, iter, next,
    )

    late, lasts, slow = {{}}, {{}}, set()  # of iterators, by id: what they raised, gave, and how
    batches = {{}}  # of iterators, by number: what was given of them the last time
    loops = []
    changeable = (list, dict, set)

    def several(source, most):
        place, items = id(source), []
        if place in late:
            raise late.pop(place)
        try:
            while len(items) < (1 if place in slow else most):
                items.append(next(source))
                if isinstance(items[-1], changeable):  # given again, it is changed by then
                    if lasts.get(place) is items[-1]:
                        slow.add(place)
                    lasts[place] = items[-1]
                    if len(items[-1]) > 99:
                        break
                elif isinstance(items[-1], (str, bytes, tuple)) and len(items[-1]) > 99:
                    break
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            if not items:
                raise
            late[place] = error
        batches[number_of(source)] = items
        return items

    def resumed(number, count):
        yield from batches[number][-count:]
        yield from held[number]

    def completed(waited):
        try:
            import asyncio
        except Exception:
            try:
                waited.send(None)
            except StopIteration as end:
                return end.value
            raise RuntimeError("there is no event loop") from None
        if not loops:
            loops.append(asyncio.new_event_loop())
        return loops[0].run_until_complete(waited)

    def leave(end, error):
        if error is None:
            return end(None, None, None)
        try:
            return end(type(error), error, None)
        except (Exception, SystemExit, KeyboardInterrupt) as other:
            if other is not error:
                raise
            return False

    def put(value, key, item):
        value[key] = item

    def drop(value, key):
        del value[key]

    acts = {{
        "call": lambda value, *args, **kwargs: value(*args, **kwargs),
        "next": several,
        "send": lambda value, item: value.send(item),
        "throw": lambda value, error: value.throw(error),
        "close": lambda value: value.close(),
        "await": completed,
        "anext": lambda value: completed(value.__anext__()),
        "enter": lambda value: value.__enter__(),
        "exit": lambda value, error: leave(value.__exit__, error),
        "aiter": lambda value: value.__aiter__(),
        "aenter": lambda value: completed(value.__aenter__()),
        "aexit": lambda value, error: leave(
            lambda *about: completed(value.__aexit__(*about)), error
        ),
        "iter": iter,
        "len": len,
        "item": lambda value, key: value[key],
        "put": put,
        "drop": drop,
        "in": lambda value, item: item in value,
        "bool": bool,
        "str": str,
        "int": int,
        "float": float,
        "complex": complex,
        "bytes": bytes,
        "list": list,
        "tuple": tuple,
        "dict": dict,
        "get": getattr,
        "reversed": reversed,
        "neg": lambda value: -value,
        "pos": lambda value: +value,
        "invert": lambda value: ~value,
        "==": lambda value, other: value == other,
        "!=": lambda value, other: value != other,
        "<": lambda value, other: value < other,
        "<=": lambda value, other: value <= other,
        ">": lambda value, other: value > other,
        ">=": lambda value, other: value >= other,
        "+": lambda value, other: value + other,
        "-": lambda value, other: value - other,
        "*": lambda value, other: value * other,
        "/": lambda value, other: value / other,
        "//": lambda value, other: value // other,
        "%": lambda value, other: value % other,
        "**": lambda value, other: value ** other,
        "@": lambda value, other: value @ other,
        "&": lambda value, other: value & other,
        "|": lambda value, other: value | other,
        "^": lambda value, other: value ^ other,
        "<<": lambda value, other: value << other,
        ">>": lambda value, other: value >> other,
    }}
    for name, builtin in (
        *(("hash", "hash"), ("repr", "repr"), ("format", "format"), ("abs", "abs")),
        *(("round", "round"), ("divmod", "divmod"), ("set", "setattr"), ("del", "delattr")),
    ):
        acts[name] = getattr(builtins, builtin, None)
    stepping = ("next", "send", "throw", "anext")

    def copied(value):
        if type(value) is list:
            return list(value)
        if isinstance(value, dict):
            return list(value.items())
        if type(value).__name__ == "deque":
            return list(value)
        return set(value) if type(value) is set else None

    # What became of the arguments: of this request, and of those after which something lives on;
    # and of the containers that were given, under a negative number.
    def changes():
        found = []
        for request, whole in seen.items():
            for number, value in enumerate(whole):
                now = copied(value)
                if now is not None and now != before[request][number]:
                    before[request][number] = now
                    items = flat(value) if isinstance(value, dict) else list(now)
                    found.append([request, number, items])
        return found

    def known_places():
        return {{
            id(value): ["known", [request, number]]
            for request, whole in seen.items()
            for number, value in enumerate(whole)
        }}

    def is_little(copies):
        count = sum(len(each) for each in copies if each is not None)
        return len(seen) < most_seen[0] and len(copies) < 100 and count < 500

    most_seen = [20]  # requests after which something lives on

    def keeps(act, target):  # whether what is done to `target` may leave the arguments in it
        return False

    # The containers of an answer that are followed, and copies of them.
    def followed(value, kept):
        copies = list(map(copied, kept)) if isinstance(value, changeable) else []
        return (kept, copies) if copies and is_little(copies) else ([], [])

    def answered(request, target, act, words, is_seen):
        whole, count = [], len(held)
        args, kwargs = unpack(words, whole)
        if is_seen:
            seen[request], before[request] = whole, list(map(copied, whole))
        kind, names, text = "returned", [], ""
        try:
            if type(target) is int:
                target = held[target]
            elif target in found:
                target = found[target]
            else:
                found[target] = target = grade_names[target]()
            value = acts[act](target, *args, **kwargs)
        except caught[0] as error:
            if act in stepping and isinstance(error, (StopIteration, StopAsyncIteration)):
                kind, value = "stopped", getattr(error, "value", None)
            else:
                kind, value = "raised", error
                names, text = said_by(error)
        kept = []
        words = pack([value, changes()], kept, known_places())
        lives_on = False
        if is_seen:
            lives_on = (len(held) > count or keeps(act, target)) and is_little(before[request])
            if not lives_on:
                del seen[request], before[request]
            parts, copies = followed(value, kept)
            if parts:
                seen[-request], before[-request] = parts, copies
        return [kind, [names, words, lives_on], text]

    found, seen, before = {{}}, {{}}, {{}}
    caught = [(Exception, SystemExit, KeyboardInterrupt, GeneratorExit)]
"""
_LOOP = """
    def serve(answer):
        while True:
            request = {exchange}(answer)
            if request[2] == "answer":  # to what the program asked of the tests
                return request
            try:
                answer = answered(*request)
            except Exception as error:
                answer = ["unusable", type(error).__name__, str(error)[:500]]

    serve(None)
"""

_GUEST = """
grade_names = {{{names}}}


def grade_serve():
{codec}
{serve}

grade_serve()
"""


def answering(names: str, exchange: str, more: str = "") -> str:
    """Return the guest code that answers, by the service `exchange`, until the tests ask no more.

    `names` are the entries of a dict from tested names to functions that give what they name.
    `more` is text that changes what stands before it.
    """
    serve = f"{_SERVE.format()}{more}{_LOOP.format(exchange=exchange)}"
    return _GUEST.format(codec=GUEST_CODEC, serve=serve, names=names)
