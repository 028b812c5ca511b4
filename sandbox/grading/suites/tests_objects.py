"""Text, in the tests' child, for what objects of the program's are asked, and what is believed.

Whether an object is equal to data is asked of the program only where its class says what it is
equal to. Of an object that the test itself made by calling that class the answer is believed, and
the grade is `weaker`; of another one nothing is asked: a program could give such an object instead
of every result, keep what it was compared with, and give that back. An object that came where data
could have come, from a call or an attribute, is believed as little if the test once made it: what
it makes together with data of the test's, or says as data would, makes the grade `weaker`, and so
does all that is judged after it, as the program was told that data.
"""

OBJECTS = """
    import asyncio
    import dataclasses
    import dis
    import importlib
    import inspect
    import keyword
    import linecache
    import types
    import unittest

    import pytest
    from _pytest.outcomes import OutcomeException

    constructed = set()  # numbers of what a test made by calling a class by a class's name
    arrivals = {}  # by number of an object: how often it came otherwise than by such a call
    reached = set()  # numbers of classes that the test has by a name written as classes are
    doubted = []  # what only an object of the program's said was so
    unsure = []  # what such an object might be equal to, and was not asked
    carried_names = []  # names of the program whose values are data
    hidden = set()  # names of the program's that a star does not give, as they are builtins
    classes = {}  # by number: the classes of the program's
    supers = {}  # by number of a class: those of its bases
    told_names = (
        "__name__", "__qualname__", "__doc__", "__members__", "__wrapped__", "__annotations__",
        "__defaults__",
    )
    order_names = {
        "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__",
        ">=": "__ge__",
    }

    # Without a program every answer agrees with what the test asks of it.
    is_dry, only, by_star = [False], [""], [True]
    late_errors = []  # what a warning of the program's became in the test
    asked_of_program = ask

    # Takes what the test gives, if it can be sent at all.
    class Offered(Agreed):
        def __call__(self, *args, **kwargs):
            try:
                grade_call(0, "", "none", pack([args, kwargs]), False)
            except Exception as error:
                excess.append(type(error).__name__ + ": " + str(error)[:300])
                raise
            return Offered()

        def __getattr__(self, name):
            return Offered()

    def ask(target, act, args, kwargs):
        if is_dry[0]:
            return False, Offered()
        with turn:
            give_changes()
            try:
                answer = asked_of_program(target, act, args, kwargs)
            except BaseException as error:
                came_out(error)
                raise
        if late_errors:
            raise late_errors.pop(0)
        return answer

    # --- verdicts of the test's own code that the program has in its hands
    # By id: failed assertions in functions that it called and did not raise again, with whether it
    # had a hand in them, and the call.
    held_back = {}
    soughts = {}  # by id of a code: it, and by place in it whether `in` stands there

    # A failed assertion of the test's code. What that raises by itself may be what is tested.
    def is_verdict(error):
        if not isinstance(error, AssertionError) and type(error) is not pytest.fail.Exception:
            return False
        trace = error.__traceback__
        if trace is None or is_far(error):
            return False
        while trace.tb_next is not None:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        if id(trace.tb_frame.f_globals) not in own_spaces:
            return code.co_name != "_execute_mock_call"  # which raises what it was told to
        return "raise" not in linecache.getline(code.co_filename, trace.tb_lineno)

    def ended_in(error):
        if is_verdict(error):
            refused.append("the program ended a failed assertion of the test")
        else:
            (believed if isinstance(error, Exception) else doubted).append("exit")

    # What the program raises: no longer held back; and never a word about how the test ends.
    def came_out(error):
        if isinstance(error, (unittest.SkipTest, OutcomeException, pytest.exit.Exception)):
            if type(error) is not pytest.fail.Exception:
                refused.append("the program skipped the test")
        while error is not None and held_back:
            for place, (held, *_) in list(held_back.items()):
                if held is error or (type(held), held.args) == (type(error), error.args):
                    del held_back[place]  # one of a builtin class comes back as its like
            error = error.__cause__ or error.__context__

    # A call that does not fail when it is made again: as of a function that is to be retried.
    def tried_again(call):
        for place, (error, _, failed) in list(held_back.items()):
            if failed == call:
                held_back[place] = error, False, failed

    def is_sought(frame):
        code, place = frame.f_code, frame.f_lasti
        known = soughts.setdefault(id(code), (code, {}))[1]
        if place not in known:
            known[place] = code.co_code[place] == dis.opmap["CONTAINS_OP"]
        return known[place]

    def stepped():
        if is_sought(sys._getframe(2)):  # who reads on
            believed.append("in")

    def thrown_in(error, stopped):
        if stopped or is_verdict(error):
            ended_in(error)

    def arrived(number):
        arrivals[number] = arrivals.get(number, 0) + 1
        return standing[number]

    def came_back(number):
        return arrivals.get(number, 0) > 0

    # Data of the test's is given to no object but those that it made itself: a program could keep
    # it, and give it back as a result. What any other is equal to stays open, where the test has
    # its class; where it has none, it asks for data, and such an object is none.
    def told_by(self, number, act, other):
        if number in constructed:
            believed.append(act)
            return ask_made(number, act, other)
        if supers.get(type(self).grade_place, set()) & reached:
            unsure.append(act)
        return NotImplemented

    def defines(self, act):
        return order_names[act] in self.grade_defined or (
            act == "!=" and "__eq__" in self.grade_defined
        )

    # Replaces what `comparing` makes.
    def compare(act, self, other):
        number = stands[id(self)][1]
        if is_far(other):
            believed.append(act)
            return True if act == "==" and self is other else ask_made(number, act, other)
        if self.grade_like and isinstance(other, data):
            return comparisons[act](data_of(self), other)
        if self.grade_own and defines(self, act) and isinstance(other, data):
            return told_by(self, number, act, other)
        if not self.grade_own and not isinstance(other, data):
            if type(other) in library_classes(type(self)):
                if type(other) is types.SimpleNamespace and act in ("==", "!="):
                    return comparisons[act](ask_made(number, "vars"), builtins.vars(other))
                unknown(self.grade_name)
        return NotImplemented

    def compares(act):
        return lambda self, other: compare(act, self, other)

    for act in order_names:
        everywhere[order_names[act]] = compares(act)

    def contains(self, item):
        number = stands[id(self)][1]
        if is_far(item):
            believed.append("in")
            return bool(asking("in")(self, item))
        if self.grade_like:
            return item in data_of(self)
        if number in constructed:
            believed.append("in")
            return bool(asking("in")(self, item))
        if "__iter__" not in self.grade_names:
            if "__contains__" not in self.grade_names:
                return bool(asking("in")(self, item))  # a TypeError
            unsure.append("in")
            return False
        for each in self:
            if each is item or each == item:
                believed.append("in")  # it may go on until it has everything
                return True
        if "__contains__" in self.grade_names:  # it may have what it does not go through
            unsure.append("in")
        return False

    special["__contains__"] = contains
    like_data.update({"int": "int", "float": "float", "str": "str"})

    # What an object of a class that the test has makes together with data, it is asked; a result
    # that is data counts only of what the test made itself.
    def combining(act, *named):
        def combined(self, *given):
            others = (*named, *given)
            number = stands[id(self)][1]
            if all(map(is_far, given)) and given:
                return ask_made(number, act, *others)
            if number not in constructed:
                if not supers.get(type(self).grade_place, set()) & reached:
                    return NotImplemented
            if number not in constructed or came_back(number):
                believed.append(act)
            value = ask_made(number, act, *others)
            if not is_far(value) and number not in constructed:
                doubted.append(act)
            elif not is_far(value) and named and named[0][:3] == "__i":  # it stands for the object
                believed.append(act)
            return value

        return combined

    for name, act in operators.items():
        special["__" + name + "__"] = combining(act)
        for variant in ("__r" + name + "__", "__i" + name + "__"):
            special[variant] = combining("own", variant)

    # An object of the program's that ends an exception of the test's has the last word.
    def left_with(self, kind, error, trace):
        ends = asking("exit")(self, error)
        if ends and error is not None:
            ended_in(error)
        return ends

    async def left_later_with(self, kind, error, trace):
        ends = asking("aexit")(self, error)
        if ends and error is not None:
            ended_in(error)
        return ends

    special["__exit__"], special["__aexit__"] = left_with, left_later_with

    # A function of the program's that is called as such a method is.
    def called_with(self, *args, **kwargs):
        value = asking("call")(self, *args, **kwargs)
        if len(args) == 3 and isinstance(args[1], BaseException) and type(args[1]) is args[0]:
            if value:  # which may be an array: it is asked of no other
                ended_in(args[1])
        return value

    special["__call__"] = called_with

    questions += "difference symmetric_difference intersection union is_integer".split()

    # Replaces that of `stand_ins`: a method of a class of the program's may have any name.
    def attribute(self, name):
        number = stands[id(self)][1]
        if name == "__dataclass_fields__":
            return type(self).__dataclass_fields__
        if name[:2] == "__":
            return dunder_of(number, name)
        if name in questions and getattr(self, "grade_like", ""):
            return getattr(data_of(self), name)
        value = ask_made(number, "get", name)
        note_question(number, name)
        return value

    def note_question(number, name):
        if name in questions and number not in constructed:
            doubted.append(name)
        elif name in questions and came_back(number):
            believed.append(name)
"""
