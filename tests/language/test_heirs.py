"""A class that code of a program's has met is kept, however its making ended."""

import pytest

from sandbox.language.guards.classes import heirs


class Base:
    def __init_subclass__(cls, /, fails: bool = False) -> None:
        if fails:
            raise KeyError(cls.__name__)


class Meta(type):
    pass


class OfMeta(Base, metaclass=Meta):
    pass


@pytest.fixture(name="kept")
def _kept(monkeypatch):
    monkeypatch.setattr(heirs, "_kept", [None])

    def kept():
        found, rest = [], heirs._kept[0]
        while rest:
            found += [rest[0]] if rest[0] else []
            rest = rest[1]
        return found

    return kept


def test_a_class_is_kept_whose_making_failed(kept):
    made = heirs.kept(lambda: type("A", (Base,), {}), (Base,))
    for base in (Base, OfMeta):
        for number in range(3):
            with pytest.raises(KeyError, match=f"F{number}"):
                heirs.kept(
                    lambda number=number, base=base: type(base)(
                        f"F{number}", (base,), {}, fails=True
                    ),
                    (base,),
                )
    names = [cls.__name__ for cls in kept()]
    assert made in kept()
    assert names.count("F0") == names.count("F1") == names.count("F2") == 2
    assert len(kept()) == len(set(map(id, kept())))


def test_heirs_are_there_until_they_are_let_go(kept):
    assert not heirs.are_there()
    heirs.kept(lambda: type("A", (Base,), {}), (Base,))
    assert heirs.are_there()
    heirs.let_go()
    assert not heirs.are_there()
    assert kept() == []


def test_what_makes_no_class_is_given_back(kept):
    assert heirs.kept(lambda: 5, ()) == 5
    assert not heirs.are_there()
