"""The words of a policy file: each key's type, bounds and description, as data.

Both the file form (`document`) and the resolved form (`model`) are made of these, and so is the
JSON schema that editors read.
"""

import keyword
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from sandbox.policy.layers import LAYERS, Layer
from sandbox.policy.limits import Limit

ALL = "*"
CONSTANTS = frozenset({"None", "True", "False"})  # keywords to the compiler, yet builtins by name

Language = Annotated[
    Literal["restricted", "off"],
    Field(
        description="restricted: the guest runs in our dialect and gets only what is granted. "
        "off: unrestricted CPython, only the kernel layers hold it, and grants have no meaning."
    ),
]
Strength = Literal["required", "optional", "off"]
if TYPE_CHECKING:
    LayerName = str
else:
    LayerName = Literal[LAYERS]


def of_limit(limit: Limit) -> Any:
    """The type of a limit's value, with its bounds and description."""
    default = "" if limit.default is None else f" {limit.default:,} if not given."
    described = f"{limit.does} In {limit.unit}.{default}"
    if limit.kind is int:
        return Annotated[int, Field(strict=True, gt=0, le=limit.most, description=described)]
    bounds = Field(
        strict=True, gt=0, le=float(limit.most), allow_inf_nan=False, description=described
    )
    return Annotated[float, bounds]


def of_layer(layer: Layer) -> Any:
    """The type of a layer's strength, with its description."""
    return Annotated[Strength, Field(description=f"{layer.does[0].upper()}{layer.does[1:]}.")]


def _identifier(name: str) -> str:
    # Outside of ASCII, the compiler would normalise the name to another one than was granted.
    reserved = keyword.iskeyword(name) and name not in CONSTANTS
    if reserved or not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{name!r} is not an identifier")
    return name


def _dotted(name: str) -> str:
    for part in name.split("."):
        _identifier(part)
    return name


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{', '.join(twice)} stands here twice")
    return names


def _all_as_tuple(names: Any) -> Any:
    return (ALL,) if names == ALL else names


def _name_or_all(name: str) -> str:
    return name if name == ALL else _identifier(name)


def _all_stands_alone(names: tuple[str, ...]) -> tuple[str, ...]:
    if ALL in names and len(names) > 1:
        raise ValueError('"*" means every name and stands alone')
    return names


def _not_blank(reason: str) -> str:
    if not reason.strip():
        raise ValueError("is blank: say why the grant is safe, or what holds it")
    return reason


Name = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
        description="The policy's name: in results and messages. The file's name if not given.",
    ),
]
Description = Annotated[str, Field(description="What the policy is for, in a sentence or two.")]
Reason = Annotated[
    str,
    Field(description="Why the grant is safe, or which layer or limit holds it.", min_length=1),
    AfterValidator(_not_blank),
]
BuiltinNames = Annotated[
    tuple[Annotated[str, AfterValidator(_identifier)], ...],
    Field(min_length=1, description="Names of builtins that the guest gets."),
    AfterValidator(_unique),
]
ModuleName = Annotated[
    str,
    Field(description="The module, dotted: math, collections.abc."),
    AfterValidator(_dotted),
]
ModuleNames = Annotated[
    tuple[Annotated[str, AfterValidator(_name_or_all)], ...],
    Field(min_length=1),
    BeforeValidator(_all_as_tuple),
    AfterValidator(_unique),
    AfterValidator(_all_stands_alone),
    WithJsonSchema(
        {
            "description": 'Names of the module that the guest gets, or "*" for all that the '
            "language layer supports.",
            "anyOf": [
                {"const": ALL},
                {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}},
            ],
        }
    ),
]
PackageName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$",
        description="The distribution's name, as `pip install` takes it: numpy, scikit-learn.",
    ),
]
Preload = Annotated[
    tuple[Annotated[str, AfterValidator(_dotted)], ...],
    Field(
        description="Modules that the supervisor imports before it confines itself. A shared "
        "object can be loaded in no other way; what else is imported later is read from files.",
    ),
    AfterValidator(_unique),
]
WarmUp = Annotated[
    str,
    Field(
        max_length=4096,
        description="Python that the supervisor runs after `preload`, so that what a package makes "
        "at its first use is there for every program. It runs with the caller's rights, as the "
        "imports do: it is code of the policy's, and prints nowhere.",
    ),
]
Optional = Annotated[
    bool,
    Field(
        strict=True,
        description="Lets the sandbox open where the package is not installed; it cannot be "
        "imported then.",
    ),
]
Threads = Annotated[
    int,
    Field(
        strict=True,
        ge=0,
        le=64,
        description="Threads that a program may have beside its first. They share its limits. 0 if "
        "not given. Only where language = off, and where namespaces are active.",
    ),
]
ScratchKib = Annotated[
    int,
    Field(
        strict=True,
        ge=64,
        le=1 << 20,
        description="KiB of memory that the files of one program may take, in whole pages. 65,536 "
        "if not given.",
    ),
]
ScratchCount = Annotated[
    int,
    Field(
        strict=True,
        ge=16,
        le=1 << 20,
        description="Files, directories and links that one program may have. 10,000 if not given.",
    ),
]
RemoveFiles = Annotated[
    Literal[True],
    Field(description="Takes the inherited scratch directory away."),
]
RequireAny = Annotated[
    tuple[Annotated[tuple[LayerName, ...], Field(min_length=1), AfterValidator(_unique)], ...],
    Field(description="Groups of layers; of each group at least one must be active."),
]
Services = Annotated[
    bool,
    Field(
        strict=True,
        description="Lets a call offer services to the guest: functions of the caller that it can "
        "call with plain data while it runs. Its job pipe then stays open for the answers.",
    ),
]
Deterministic = Annotated[
    bool,
    Field(
        strict=True,
        description="Makes a program give the same bytes in every run: clocks start at a constant "
        "and move by themselves, and id, hash and the printed form of an object show a number "
        "instead of an address. Only where language = restricted.",
    ),
]
AsRestricted = Annotated[
    bool,
    Field(
        strict=True,
        description="Gives a program without the language layer no more than a restricted one has "
        "of system calls, descriptors and files, so that a test can show what holds a guest that "
        "broke the language layer. Only with testing.",
    ),
]
Testing = Annotated[
    bool,
    Field(
        strict=True,
        description="Lets a policy with language = off go without kernel layers, so that a test "
        "can show what one layer holds alone. Never inherited, and never for guests that matter.",
    ),
]
