"""Whatever the standard library does with a guest's objects and classes shows no real metaclass."""

from pathlib import Path

import harness

from sandbox.language.guest import world

_PROGRAM = (Path(__file__).parent / "spies.txt").read_text()


def test_no_host_function_shows_a_spy_what_is_not_granted(run):
    ran = run(_PROGRAM)
    assert ran.status == "OK", ran
    assert "ESCAPED" not in ran.output
    assert ran.output.endswith("asked True True\n"), ran


def test_the_spies_find_a_method_that_takes_a_class_for_its_instance(monkeypatch):
    from collections import ChainMap

    parents = property(lambda self: self.__class__(*self.maps[1:]))
    monkeypatch.setattr(world, "check_receivers", lambda granted: None)
    monkeypatch.setattr(ChainMap, "parents", parents)
    assert "ESCAPED" in harness.run(harness.world(), _PROGRAM).output
