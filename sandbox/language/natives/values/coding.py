"""`json`: in C only where no function of the program's runs while a container is walked over."""

import json.encoder
import types
from typing import Any

from sandbox.language.guards.classes.class_origin import instance_dict
from sandbox.language.natives.demand import SEQUENCE, on_demand
from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace the choice between the two encoders."""
    replace(json.encoder.JSONEncoder, _iterencode, "iterencode")


def _iterencode(own: Any) -> Method:
    in_python: Any = types.FunctionType(
        own.__code__, {**own.__globals__, "c_make_encoder": None}, own.__name__, own.__defaults__
    )

    # Filled once the program has a list or tuple of its own kind: C iterates over one without a
    # reference to it, so the program's code could free it meanwhile.
    feared: list[bool] = []
    on_demand(SEQUENCE, lambda: feared.append(True))

    def iterencode(self: Any, o: Any, _one_shot: bool = False) -> Any:
        kept = instance_dict(self) if type(self) is json.encoder.JSONEncoder else None
        plain = kept is not None and "default" not in kept and kept.get("check_circular") is True
        return (own if plain and not feared else in_python)(self, o, _one_shot)

    return iterencode
