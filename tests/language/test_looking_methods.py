"""Which methods look at their receiver: told from their code, and from that of what they call."""

from sandbox.language.guards.attributes import looks, receivers
from sandbox.language.guards.attributes.reach import is_ours_in_reach
from sandbox.language.guards.classes.class_origin import dict_of


def test_a_method_that_keeps_its_receiver_looks_at_it():
    class Host:
        def keep(self):
            KEPT.append(self)

        def plain(self):
            return self.x + len(self.items)

    assert looks.needs_look(Host.keep, Host, {}, {})
    assert not looks.needs_look(Host.plain, Host, {}, {})


_PAST_REFUSALS = (object.__setattr__, object.__delattr__, type.__setattr__, type.__delattr__)


def _stores_past_refusals(function):
    """What `object.__setattr__` stores no class refuses."""
    names = looks._names(function.__code__)
    stands_for = [function.__globals__.get(name) for name in names]
    return bool(names & {"__setattr__", "__delattr__"}) or any(
        value is store for value in stands_for for store in _PAST_REFUSALS
    )


def test_no_method_of_ours_stores_in_what_a_program_calls_it_with(widest):
    storing = [
        (cls.__name__, name)
        for cls in widest.kin.host
        if is_ours_in_reach(cls)
        for name, member in dict_of(cls).items()
        for function in receivers.parts_of(member, name)
        if function.__globals__ is not vars(receivers) and _stores_past_refusals(function)
    ]
    assert storing == []


def test_a_method_that_stores_past_refusals_is_found_by_that_test():
    store = object.__setattr__

    class Host:
        def by_name(self):
            object.__setattr__(self, "x", 1)

        def by_global(self):
            _SET(self, "x", store)

        def as_anybody(self):
            self.x = 1

    assert _stores_past_refusals(Host.by_name)
    assert _stores_past_refusals(Host.by_global)
    assert not _stores_past_refusals(Host.as_anybody)
    assert looks.needs_look(Host.by_name, Host, {}, {})
    assert looks.needs_look(Host.by_global, Host, {}, {})


_SET = object.__setattr__


def test_a_method_asks_what_the_functions_ask_that_it_calls():
    class Host:
        def show(self):
            return helper(self)

    assert looks.needs_look(Host.show, Host, {}, {})


KEPT = []


def helper(o):
    return further(o)


def further(o):
    return vars(o)
