"""The programs of the tests' child: tests that call a program over there, and tests without one."""

from sandbox.grading.texts.agreeing import DRY_CODEC
from sandbox.grading.texts.crossing import TEST_CODEC
from sandbox.grading.texts.raising import RAISING
from sandbox.grading.texts.settings import WATCHING

CALL, BEGIN, REPORT = "grade_call", "grade_begin", "grade_report"

# In both: what the tested names are while a test runs.
_SHARED = """
    class Ended(BaseException):
        pass

    def stubs_of(names, candidate):
        stubs = {name: stub(name) for name in names}
        if candidate:
            stubs["candidate"] = stubs[candidate]
        return stubs
"""

# In every child of tests: what it asks of the program, and what it gets. Its names are `call`, the
# function by which it asks, and `settings` and `raising`, texts.
ASKING = """
    class GuestError(Exception):
        pass

    # What a class of the program's own may have, it is asked.
    class Own:
        def __getattr__(self, name):
            if name[:2] == "__" or id(self) not in stands:
                raise AttributeError(name)
            return attribute(self, name)
{raising}
    excess = []  # what was too much for this child: memory, or a value that is too large to send
    lent = []  # what the program raised as if it were so here
    counted, sents = [0], {{}}  # requests, and by number the arguments of those that may change
    knows_stop = [False]  # the test names StopIteration, or the one of asynchronous iterators
    seen = [True]  # whether the test sees what becomes of the arguments of its calls
    parts_of_far = []  # containers that are part of what is held over there, and as they came
    altered = []  # what changed an argument and was no call that gave None
    in_place = []  # calls that gave None and changed an argument

    def known_here():  # by id: how the program knows a container that it has
        return {{}}

    def offered(request, sent):
        pass

    # What the program gave, after what it changed of what both have.
    def received(request, words, lives_on, sent):
        whole = []
        try:
            sents[request] = sent
            value, changes = unpack(words, whole)
            for where, number, items in changes:
                changed = sents[where][number]
                change(changed, items)
                for place, (part, _) in enumerate(parts_of_far):
                    if part is changed:  # not by the test
                        parts_of_far[place] = part, part.copy()
            if not lives_on:
                del sents[request]
            if isinstance(value, (list, dict, set)) and len(whole) < 100:
                sents[-request] = whole
            return value, bool(changes)
        except MemoryError:
            raise
        except Exception:
            raise Ended("the program answered with no value") from None

{settings}
    def ask(target, act, args, kwargs):
        tell_settings()
        sent, counted[0] = [], counted[0] + 1
        try:
            words, number = pack([args, kwargs], sent, known_here()), counted[0]
            offered(number, sent)
            kind, content, text = {call}(number, target, act, words, seen[0])
            if kind != "ended":
                _, words, lives_on = content
                value, has_changed = received(number, words, lives_on, sent)
                if has_changed:
                    gives_none = act == "call" and kind == "returned" and value is None
                    (in_place if gives_none else altered).append(act)
        except Exception as error:  # nothing of the program's raises here
            excess.append(type(error).__name__ + ": " + str(error)[:300])
            raise
        if kind == "ended":
            raise Ended(text)
        if kind == "raised":
            if not isinstance(value, BaseException):  # a class would be one when it is raised
                raise Ended("the program raised no exception")
            if isinstance(value, MemoryError):
                lent.append(act)
            raise value
        if act == "get" and isinstance(value, (list, dict, set, deque)):
            parts_of_far.append((value, value.copy()))
        return kind == "stopped", value

    def change(value, items):
        if isinstance(value, list):
            value[:] = items
            return
        value.clear()
        if isinstance(value, dict):
            for key, item in paired(items):  # a Counter's `update` would count them
                value[key] = item
        elif isinstance(value, deque):
            value.extend(items)
        else:
            value.update(items)
"""

_TEST = """
def grade_run():
{codec}
    import builtins
    from builtins import (
        AssertionError, MemoryError, any,
    )

{shared}
{asking}
    def stub(name):
        is_class = name[:1].isupper() and name.isidentifier()

        def tested(*args, **kwargs):
            before, making[0] = making[0], is_class
            try:
                return ask(name, "call", args, kwargs)[1]
            finally:
                making[0] = before

        return tested

    noting = (
        *(asked, lowered, given, shapes, excess, lent, stands, standing, made_here, unread, taken),
        *(kins, believed, altered, sents, parts_of_far, refused, watched, told),
    )

    def one(setup, text, names, candidate, is_seen, settings):
        stubs = stubs_of(names, candidate)
        scope = dict(stubs)
        live[0], seen[0], making[0] = object(), is_seen, False
        stops = "StopIteration", "StopAsyncIteration"
        knows_stop[0] = any(stop in each for stop in stops for each in (setup, text))
        for kept in noting:
            kept.clear()
        watched.update(readers(settings))
        told.update({{name: read()[0] for name, read in watched.items()}})
        if settings:
            scope["grade_seeding"] = seeding
        try:
            exec(setup, scope)
            scope.update(stubs)
        except MemoryError:
            return ["limit", "MemoryError"]
        except BaseException as error:
            return ["broken", type(error).__name__ + ": " + str(error)[:300]]
        verdict = ["passed", ""]
        try:
            exec(text, scope)
        except AssertionError:
            verdict = ["failed", "AssertionError"]
        except MemoryError as error:
            verdict = ["failed" if lent else "limit", "MemoryError: " + str(error)[:300]]
        except BaseException as error:
            verdict = ["failed", type(error).__name__ + ": " + str(error)[:300]]
        live[0] = object()  # a generator that ends now has nobody to tell
        scope.clear()  # what the test held is no burden of the next one
        if excess:
            return ["limit", excess[0]]
        if refused:
            return ["failed", refused[0]]
        if verdict[0] == "failed" and any(now != then for now, then in parts_of_far):
            asked.append("what the test changed")
        if asked:
            return ["unknown", "a value of type " + asked[0] + " cannot be carried over"]
        if verdict[0] == "failed" and lowered:
            return ["unknown", "a value of type " + lowered[0] + " cannot be carried over"]
        if verdict[0] == "passed":
            return ["altered" if altered else "passed", "believed" if believed else ""]
        return verdict

    while True:
        test = {begin}()
        if test is None:
            return
        {report}(*one(*test))


grade_run()
"""

_DRY = """
def grade_run():
{codec}
    from builtins import MemoryError

{shared}
    class Excess(BaseException):
        pass

    def offer(args, kwargs):
        try:
            {call}(0, "", "call", pack([args, kwargs]), False)
        except NotPlain as error:
            {report}("instances", str(error))
            raise Ended("an argument is no plain data") from None
        except Exception as error:
            raise Excess(str(error)) from None

    def stub(name):
        def tested(*args, **kwargs):
            offer(args, kwargs)
            return Called()

        return tested

    # What a call gave may be called as well, as a decorator is.
    class Called(Agreed):
        def __call__(self, *args, **kwargs):
            offer(args, kwargs)
            return Called()

        def __getattr__(self, name):
            return Agreed()

    def one(setup, text, names, candidate, lacking):
        absent[:] = lacking
        stubs = stubs_of(names, candidate)
        scope = dict(stubs)
        patience[:] = [True] * 1000
        try:
            exec(setup, scope)
            scope.update(stubs)
            exec(text, scope)
        except (Excess, MemoryError):
            raise  # this test meets a limit by itself
        except BaseException:
            pass

    while True:
        test = {begin}()
        if test is None:
            return
        one(*test)


grade_run()
"""

# Takes one test after the other, and calls over to the program. No part of the program is in it,
# and it is the same for every row, so that it is compiled once.
TESTING = _TEST.format(
    codec=TEST_CODEC,
    shared=_SHARED,
    asking=ASKING.format(raising=RAISING, settings=WATCHING.format(call=CALL), call=CALL),
    begin=BEGIN,
    report=REPORT,
)

# The same without any program: a call gives a value that agrees with whatever is asked of it.
DRY = _DRY.format(codec=DRY_CODEC, shared=_SHARED, call=CALL, begin=BEGIN, report=REPORT)
