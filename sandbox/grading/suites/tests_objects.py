"""Text, in the tests' child, for what objects of the program's are asked, and what is believed.

Whether an object is equal to data is asked of the program only where its class says what it is
equal to. Of an object that the test itself made by calling that class the answer is believed, and
the grade is `weaker`; of another one nothing is asked: a program could give such an object instead
of every result, keep what it was compared with, and give that back.
"""

OBJECTS = """
    import asyncio
    import dataclasses
    import importlib
    import inspect
    import keyword
    import types

    constructed = set()  # numbers of what a test made by calling a class by a class's name
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
            answer = asked_of_program(target, act, args, kwargs)
        if late_errors:
            raise late_errors.pop(0)
        return answer

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
                unknown(self.grade_name)
        return NotImplemented

    def compares(act):
        return lambda self, other: compare(act, self, other)

    for act in order_names:
        everywhere[order_names[act]] = compares(act)

    def contains(self, item):
        number = stands[id(self)][1]
        if is_far(item):
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
            value = ask_made(number, act, *others)
            if not is_far(value) and number not in constructed:
                doubted.append(act)
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
            is_verdict = isinstance(error, AssertionError) or not isinstance(error, Exception)
            (doubted if is_verdict else believed).append("exit")
        return ends

    special["__exit__"] = left_with

    questions += "difference symmetric_difference intersection union".split()

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
        if name in questions and number not in constructed:
            doubted.append(name)
        return value
"""
