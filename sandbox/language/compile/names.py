"""The names that a guest may write, and the attribute names that need a look at the object.

Every attribute name is one of three kinds. PLAIN is safe on any object that a guest can hold, so
it compiles to CPython's own attribute access. GUARDED is safe on some objects only: a guard looks.
REFUSED leads to a frame, a code object, a real globals dict or the pickling protocol.
"""

from collections.abc import Container
from unicodedata import normalize

from sandbox.language.compile.private_names import HOST_PRIVATE
from sandbox.language.compile.words import words

PLAIN, GUARDED, REFUSED = 0, 1, 2
LONGEST_ATTRIBUTE = 100  # in characters, as CPython mangles it: see `long_names`

# Frames, code objects and what leads to them (CVE-2023-37271).
INSPECT = words(
    """
    tb_frame tb_next f_back f_builtins f_code f_globals f_locals f_trace f_generator gi_frame
    gi_code gi_yieldfrom cr_await cr_frame cr_code cr_origin ag_await ag_frame ag_code co_argcount
    co_branches co_cellvars co_code co_code_adaptive co_consts co_exceptiontable co_filename
    co_firstlineno co_flags co_freevars co_kwonlyargcount co_lines co_linetable co_lnotab co_name
    co_names co_nlocals co_posonlyargcount co_positions co_qualname co_stacksize co_varnames
    """
)

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
OPERATORS = words(
    """
    __lt__ __le__ __eq__ __ne__ __gt__ __ge__ __neg__ __pos__ __abs__ __invert__
    """
).union(f"__{prefix}{name}__" for name in words(_BINARY) for prefix in ("", "r", "i"))

# Names that only earlier Pythons asked for.
WITHOUT_MEANING = words(
    """
    __cmp__ __coerce__ __delslice__ __div__ __getslice__ __hex__ __idiv__ __long__
    __metaclass__ __nonzero__ __oct__ __rdiv__ __setslice__ __unicode__
    """
)

# What a class may define, and what may be called on any object: none of it hands out more than the
# operation whose name it bears. Not `__buffer__`: C code that joins, compares and copies calls it
# while it holds memory that the method may free.
_SPECIAL = words(
    """
    __init__ __new__ __del__ __repr__ __str__ __bytes__ __format__ __hash__ __bool__ __dir__
    __sizeof__ __len__ __length_hint__ __getitem__ __setitem__ __delitem__ __missing__ __iter__
    __next__ __reversed__ __contains__ __call__ __enter__ __exit__ __aenter__ __aexit__
    __aiter__ __anext__ __await__ __int__ __float__ __complex__ __index__ __round__ __trunc__
    __floor__ __ceil__ __copy__ __deepcopy__ __replace__ __init_subclass__ __class_getitem__
    __instancecheck__ __subclasscheck__ __subclasshook__ __post_init__ __fspath__
    """
)
METHODS = OPERATORS | WITHOUT_MEANING | _SPECIAL
# May be defined by a class; read only with a look at the object, because on some host objects they
# read or write an attribute of the caller's choice.
HOOKS = words(
    """
    __getattr__ __getattribute__ __setattr__ __delattr__ __get__ __set__ __delete__
    __set_name__
    """
)
# Called by host code with whatever class it has in hand: the argument is shown, see `ShownHook`.
SHOWN = frozenset(("__subclasscheck__", "__subclasshook__"))
DATA = words(
    """
    __name__ __qualname__ __doc__ __module__ __wrapped__ __cause__ __context__ __traceback__
    __suppress_context__ __notes__ __slots__ __match_args__ __isabstractmethod__
    __abstractmethods__ __version__ __author__ __file__ __all__ __type_params__ __bound__
    __stdin__ __stdout__ __stderr__ __constraints__ __total__ __required_keys__
    __optional_keys__ __supertype__ __metadata__ __default__ __value__
    """
)
_GUARDED_DUNDERS = HOOKS | words(
    """
    __class__ __dict__ __mro__ __bases__ __base__ __annotations__ __self__ __func__
    __subclasses__ __members__
    __defaults__ __kwdefaults__
    """
)
# `format` and `format_map` walk attributes in C (CVE-2023-41039); `obj` of an AttributeError is the
# object that lacked the attribute (CVE-2024-47532); `mro` of a type lists host types; a proxy of a
# mapping, as `groupindex` of a pattern and `__members__` of an enum are, shows the other operand of
# `|` and `==` the mapping itself.
_GUARDED_PUBLIC = frozenset(("format", "format_map", "groupindex", "mro", "obj"))

# A name made at run time that walks from a host's object to its classes serves no program but an
# attack; written out, the same step is allowed and leads nowhere.
CLASS_WALK = words(
    """
    __class__ __mro__ __bases__ __base__ __subclasses__
    """
)

# Private names of host classes that are part of their documented interface. And names that a class
# of a program's reads as its own, since they are mangled: `o.__cast` in a class called UserList.
SAFE_PRIVATE = words(
    """
    _ _asdict _replace _make _fields _field_defaults _value_ _name_ _missing_ _ignore_ _order_
    _generate_next_value_ _name _mu _sigma _numerator
    _denominator _mapping _day _hash
    _MutableMapping__marker _SequenceMatcher__chain_b _Tokenizer__next _UserList__cast
    """
)
GUARDED_NAMES = _GUARDED_PUBLIC | _GUARDED_DUNDERS | (HOST_PRIVATE - SAFE_PRIVATE)

# The guarded names that mean nothing on a plain object of a guest's own class. Every class
# under `ABC` has `_abc_impl`, and is plain all the same: the name stays guarded.
FREE_NAMES = (GUARDED_NAMES - _GUARDED_DUNDERS - {"_abc_impl"}) | {"__class__", "__dict__"}

# Guarded in this process only: names that the running Python has on some type of the host's where
# no maintainer has looked at them. Filled before anything is compiled, see
# `guards/attributes/owners.py`.
UNLISTED: set[str] = set()

READABLE_DUNDERS = METHODS | DATA
# Stored by `o.name = value`. Without the hooks that a metaclass must not have, and without
# `__match_args__`, which names attributes that a class pattern reads.
STORABLE_DUNDERS = (METHODS - SHOWN) | words(
    """
    __name__ __qualname__ __doc__ __wrapped__ __cause__ __context__ __suppress_context__
    __notes__ __traceback__ __version__ __author__ __isabstractmethod__
    """
)
# State that host code keeps in a class: without its own a class goes on with that of its base.
CLASS_STATE = words(
    """
    _abc_impl _member_map_ _member_names_ _member_type_ _value2member_map_ _value_repr_
    _unhashable_values_ _unhashable_values_map_ _hashable_values_ _new_member_ _use_args_
    _boundary_ _flag_mask_ _singles_mask_ _all_bits_ _inverted_
    """
)
GUARDED_STORES = CLASS_STATE | words(
    """
    __class__ __dict__ mro __setattr__ __delattr__ __eq__ __ne__ __hash__ __getitem__ __index__
    __name__
    """
)
# Stored as any other name is; but of a class that has got one, C code of the host's may have to be
# kept away from then on, see `natives/demand`.
NOTICED_STORES = words("__iter__ throw")
# Written as variables. `__builtins__` would replace the builtins of every function made afterwards.
VARIABLES_READ = words(
    """
    __name__ __doc__ __file__ __debug__ __class__ __all__ __version__ __author__ __package__
    __spec__ __qualname__ __module__ __path__
    """
)
MODULE_METADATA = words(
    """
    __all__ __version__ __author__ __email__ __license__ __copyright__ __credits__ __date__
    __maintainer__ __status__ __title__ __description__ __doc__ __name__ __url__ __file__
    """
)
BINDABLE = (METHODS - SHOWN) | HOOKS | MODULE_METADATA | frozenset(("__slots__", "__module__"))
# Put there by the compiler itself; a namespace handed to `type()` may carry them.
COMPILER_MADE = words(
    """
    __qualname__ __classcell__ __annotations__ __orig_bases__ __firstlineno__ __annotate__
    __static_attributes__ __type_params__ __parameters__ __classdictcell__ __annotate_func__
    __annotations_cache__ __conditional_annotations__
    """
)
# A metaclass that answers for names it does not have could steer what a class pattern reads, one
# that chooses its MRO could leave our checks out of it, and one that says what it is equal to would
# be shown the host's types by any host dict that has types for keys.
REFUSED_IN_METACLASS = words(
    """
    __getattr__ __getattribute__ __eq__ __ne__ __hash__ mro __prepare__ __subclasses__
    __match_args__ __dataclass_fields__
    """
)


def is_dunder(name: str) -> bool:
    """Return True for `__x__`, as the compiler sees it, unmangled. None of ours is one.

    A name of underscores alone means nothing to CPython.
    """
    return name[:2] == "__" == name[-2:] and ":" not in name and name.strip("_") != ""


def read_kind(name: str) -> int:
    """Return PLAIN, GUARDED or REFUSED for reading an attribute called `name`."""
    if name in GUARDED_NAMES or name in UNLISTED:
        return GUARDED
    return _kind(name, READABLE_DUNDERS)


def store_kind(name: str) -> int:
    """Return PLAIN, GUARDED or REFUSED for setting or deleting an attribute called `name`."""
    if name in GUARDED_STORES:
        return GUARDED
    return _kind(name, STORABLE_DUNDERS)


def _kind(name: str, dunders: Container[str]) -> int:
    if name in INSPECT or ":" in name:  # a colon marks the names that are ours
        return REFUSED
    if name[:2] != "__" or name in dunders:
        return PLAIN
    return REFUSED if is_dunder(name) else PLAIN


def may_read_variable(name: str) -> bool:
    """Return True unless `name` is a dunder that the namespace of the program does not have."""
    return not is_dunder(name) or name in VARIABLES_READ or name in BINDABLE or name in SHOWN


def may_bind(name: str) -> bool:
    """Return True if a program may bind `name`; `__match_args__` is looked at apart."""
    return not is_dunder(name) or name in BINDABLE


def may_match(name: str) -> bool:
    """Return True if a class pattern may read the attribute `name` from whatever it is given."""
    return read_kind(name) == PLAIN


def may_match_own(name: str) -> bool:
    """Say whether a class pattern may read the guarded `name` from an object of a plain class."""
    return name in _GUARDED_PUBLIC and name in FREE_NAMES and store_kind(name) == PLAIN


def may_be_field(name: str) -> bool:
    """Return True if a field may be called `name`, which generated code reads and stores."""
    return len(name) <= LONGEST_ATTRIBUTE and is_compiled_as_it_is(name) and means_nothing(name)


def is_compiled_as_it_is(text: str) -> bool:
    """Return True if the compiler takes the identifiers in `text` for what they are spelled as.

    It normalizes them, so that other letters than those of `__dict__` make it `__dict__`.
    """
    return text.isascii() or normalize("NFKC", text) == text


def means_nothing(name: str) -> bool:
    """Return True unless `name` is guarded and means something on a plain object.

    One that is guarded is read by a guard, or from an object of a plain class only.
    """
    return may_match(name) or (
        name in FREE_NAMES and not is_dunder(name) and store_kind(name) == PLAIN
    )
