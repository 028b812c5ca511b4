"""Grants that open an escape, or that people grant and should not, one at a time to `strict`.

Each row is `module name` (`-` for a builtin, `*` for all public names). What the search cannot
show is listed in MISSES with the reason; it is refused when the policy loads all the same.
"""

from sandbox.audit.walk.what_if import RawGrant

_TABLE = """
- getattr
- setattr
- delattr
- vars
- type
- open
- eval
- exec
- compile
- globals
- locals
- breakpoint
operator attrgetter
operator methodcaller
operator *
string Formatter
string *
random _os
typing get_type_hints
typing sys
typing *
dataclasses make_dataclass
dataclasses *
collections namedtuple
collections _sys
collections *
enum *
enum sys
copy *
copy copy
json codecs
json *
json decoder
statistics sys
statistics random
statistics *
re enum
re copyreg
re *
inspect *
inspect getattr_static
gc *
gc get_objects
types CodeType
types *
weakref *
weakref sys
weakref finalize
codecs *
codecs open
io *
io open
io FileIO
sys *
sys modules
sys _getframe
warnings *
warnings sys
warnings catch_warnings
logging *
pickle loads
marshal *
shelve *
os *
os system
posix *
subprocess *
socket *
ctypes *
importlib import_module
builtins *
builtins eval
threading *
signal *
pathlib *
shutil *
tempfile *
glob *
functools update_wrapper
functools singledispatch
functools *
contextlib *
traceback *
linecache *
ast *
dis *
code *
runpy *
timeit *
atexit *
queue *
fractions *
calendar *
csv *
textwrap *
pprint *
mmap *
sqlite3 *
urllib.request *
multiprocessing *
zoneinfo ZoneInfo
"""
GRANTS = tuple(
    RawGrant("" if module == "-" else module, name)
    for module, name in (line.split() for line in _TABLE.split("\n") if line)
)
MISSES: dict[RawGrant, str] = {
    RawGrant("dataclasses", "make_dataclass"): "It makes a class in a namespace that no guard saw: "
    "pickling hooks get in, and only with copy or pickle do they do anything. No single object "
    "that it gives is an escape.",
    RawGrant("collections", "namedtuple"): "It compiles names, after isidentifier and interning "
    "have shown that they are exact identifiers; there is no way in.",
    RawGrant("weakref", "finalize"): "What it holds stands behind private names, which "
    "are the host's to read; its class and its instances refuse stores.",
    RawGrant("copy", "copy"): "It calls __reduce_ex__, and the dialect lets no class define it.",
}
