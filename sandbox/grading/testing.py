"""The programs of the tests' child: tests that call a program over there, and tests without one."""

from sandbox.grading.crossing import DRY_CODEC, TEST_CODEC

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

_TEST = """
def grade_run():
{codec}
    import builtins
    from builtins import (
        AssertionError, AttributeError, MemoryError, StopAsyncIteration, StopIteration,
        getattr, issubclass,
    )

{shared}
    class GuestError(Exception):
        pass

    # What a class of the program's own may have, nobody knows here.
    class Own:
        def __getattr__(self, name):
            if name[:2] == "__":
                raise AttributeError(name)
            asked.append(type(self).__name__)
            raise Unknown("attribute " + name + " of " + type(self).__name__)

    def raised(names, args, text):
        base = Exception
        for name in names:
            found = getattr(builtins, name, None)
            if isinstance(found, type) and issubclass(found, Exception):
                base = found
                break
        # Of a program's: any iterator of the test's would end at it, and all() be True.
        if issubclass(base, (StopIteration, StopAsyncIteration)):
            return GuestError(names[0] + ": " + text)
        for given in (args, (text,)):
            try:
                error = base(*given)
                if names[0] == base.__name__ and str(error) == text:
                    return error
                return type(names[0], (base, Own), {{"__str__": lambda self: text}})(*given)
            except Exception:
                continue
            except Unknown:  # its text is that of an argument which could not cross
                asked.pop()
        return GuestError(names[0] + ": " + text)

    excess = []  # what was too much for this child: memory, or a value that is too large to send
    lent = []  # what the program raised as if it were so here

    def values(content):
        try:
            return unpack(content)
        except MemoryError:
            raise
        except Exception:
            raise Ended("the program answered with no value") from None

    def stub(name):
        def tested(*args, **kwargs):
            try:
                kind, content, text = {call}(name, pack(args), pack(kwargs))
                if kind == "returned":
                    return values(content)
                if kind == "raised":
                    names, args = content
                    sent = raised(names, values(args), text)
            except Exception as error:  # nothing of the program's raises here
                excess.append(type(error).__name__ + ": " + str(error)[:300])
                raise
            if kind != "raised":
                raise Ended(text)
            if isinstance(sent, MemoryError):
                lent.append(name)
            raise sent

        return tested

    def one(setup, text, names, candidate):
        stubs = stubs_of(names, candidate)
        scope = dict(stubs)
        for kept in asked, came, given, shapes, excess, lent:
            kept.clear()
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
        scope.clear()  # what the test held is no burden of the next one
        if excess:
            return ["limit", excess[0]]
        if asked:
            return ["unknown", "a value of type " + asked[0] + " cannot be carried over"]
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

    def stub(name):
        def tested(*args, **kwargs):
            try:
                {call}(name, pack(args), pack(kwargs))
            except NotPlain as error:
                {report}("instances", str(error))
                raise Ended("an argument is no plain data") from None
            except Exception as error:
                raise Excess(str(error)) from None
            return Agreed()

        return tested

    def one(setup, text, names, candidate):
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
TESTING = _TEST.format(codec=TEST_CODEC, shared=_SHARED, call=CALL, begin=BEGIN, report=REPORT)

# The same without any program: a call gives a value that agrees with whatever is asked of it.
DRY = _DRY.format(codec=DRY_CODEC, shared=_SHARED, call=CALL, begin=BEGIN, report=REPORT)
