"""The tables of a policy as models: its limits, its layers and its grants. Immutable, checked."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, create_model, model_validator

from sandbox.policy import layers, limits
from sandbox.policy.files import fields
from sandbox.policy.layers import OFF
from sandbox.policy.limits import Limits


class Table(BaseModel):
    """Base of every part of a policy: refuses unknown keys, and never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BuiltinsGrant(Table):
    """Some builtins and the reason that they are granted."""

    names: fields.BuiltinNames
    reason: fields.Reason


class ModuleGrant(Table):
    """Some names of one module, `("*",)` for all supported ones, and the reason for them."""

    module: fields.ModuleName
    names: fields.ModuleNames
    reason: fields.Reason


class PackageGrant(Table):
    """One installed distribution, modules of it to import beforehand, and the reason for it."""

    name: fields.PackageName
    preload: fields.Preload = ()
    warm_up: fields.WarmUp = ""
    optional: fields.Optional = False
    reason: fields.Reason


class FilesGrant(Table):
    """A private scratch directory in memory for each program, and the reason for it."""

    scratch_kib: fields.ScratchKib = 65_536
    scratch_count: fields.ScratchCount = 10_000
    reason: fields.Reason


class _Limits(Table):
    def plain(self) -> Limits:
        """The dataclass that the runtime and `tighten` work on."""
        return Limits(**self.model_dump())


class _Layers(Table):
    @model_validator(mode="before")
    @classmethod
    def _off_with_the_language(cls, data: Any) -> Any:
        """Unrestricted CPython has use for all that the layer takes away."""
        if isinstance(data, dict) and data.get("language") == OFF:
            return {**data, "interpreter": OFF}
        return data

    def plain(self) -> dict[str, str]:
        """`{layer: strength}`, in the order of the table."""
        return dict(self.model_dump())


if TYPE_CHECKING:

    class LimitsModel(_Limits, Limits):  # type: ignore[misc]  # for its fields
        """What one execution may use; the validated form of `sandbox.policy.limits.Limits`."""

    class LayersModel(_Layers):
        """Each layer: required (the sandbox does not open without it), optional, or off."""

        def __getattr__(self, name: str) -> str: ...

else:
    LimitsModel = create_model(
        "LimitsModel",
        __base__=_Limits,
        __module__=__name__,
        __doc__="What one execution may use; the validated form of `sandbox.policy.limits.Limits`.",
        **{
            row.name: (fields.of_limit(row), ... if row.default is None else row.default)
            for row in limits.TABLE
        },
    )
    LayersModel = create_model(
        "LayersModel",
        __base__=_Layers,
        __module__=__name__,
        __doc__="Each layer: required (the sandbox does not open without it), optional, or off.",
        **{row.name: (fields.of_layer(row), row.default) for row in layers.TABLE},
    )
