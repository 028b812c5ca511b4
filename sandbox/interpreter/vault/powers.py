"""The part of the vault that compiles, evaluates, collects and looks into proxies and caches.

Its functions ask no namespace for anything, as those of the vault; see there.
"""

import _ast
import functools
import gc
import resource
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple


class Powers(NamedTuple):
    """Services, which are told the frame that asks."""

    compile: Callable[[Any, Any, Any, Any, Any], Any]
    evaluate: Callable[[Any], Any]
    behind: Callable[[Any, Any], Any]
    cached: Callable[[Any, Any], Any]
    table_bytes: Callable[[Any, Any], Any]
    collect: Callable[[Any, Any], Any]
    peak: Callable[[Any], Any]


def open_powers(violate: Callable[[str], None], held_by: Callable[[Any], Any]) -> Powers:
    """Make the functions of `Powers`. `held_by` lists what an object holds, as `gc` knows it."""
    usage, myself = resource.getrusage, resource.RUSAGE_SELF
    read_peak = resource.struct_rusage.__dict__["ru_maxrss"].__get__
    collect_garbage, run, parse = gc.collect, eval, compile
    kind_of, text, whole, generations = type, str, int, (0, 1, 2)
    cache_type = kind_of(functools.lru_cache(whole))
    proxy_type, dict_type, copied = MappingProxyType, dict, dict.copy
    bytes_of, basic_bytes = dict.__sizeof__, type.__dict__["__basicsize__"].__get__
    module, expression, statement = _ast.Module, _ast.Expression, _ast.Interactive

    def compile_(_frame: Any, source: Any, filename: Any, mode: Any, flags: Any) -> Any:
        # Of exact kinds: a method of another would run in here, as if it were the vault's own.
        if (
            kind_of(filename) is not text
            or kind_of(mode) is not text
            or kind_of(flags) is not whole
        ):
            violate("sandbox.compile_text")
        kind = kind_of(source)  # compared by identity: a class of the program's may have an `==`
        if not (kind is text or kind is module or kind is expression or kind is statement):
            violate("sandbox.compile_text")
        return parse(source, filename, mode, flags, True)

    def evaluate(_frame: Any) -> Any:
        return run

    def behind(_frame: Any, proxy: Any) -> Any:
        if kind_of(proxy) is not proxy_type:
            violate("sandbox.behind")
        (mapping,) = held_by(proxy)
        return copied(mapping) if kind_of(mapping) is dict_type else mapping

    def cached(_frame: Any, cache: Any) -> Any:
        if kind_of(cache) is not cache_type:
            violate("sandbox.cached")
        for held in held_by(cache):  # links of its list come before its dict, the rest behind
            if kind_of(held) is dict_type:
                return held
        return None

    def table_bytes(_frame: Any, proxy: Any) -> Any:
        if kind_of(proxy) is not proxy_type:
            violate("sandbox.table_bytes")
        (mapping,) = held_by(proxy)
        return bytes_of(mapping) - basic_bytes(kind_of(mapping))

    def collect(_frame: Any, generation: Any) -> Any:
        if kind_of(generation) is not whole or generation not in generations:
            violate("sandbox.collect")
        return collect_garbage(generation)

    def peak(_frame: Any) -> Any:
        return read_peak(usage(myself)) << 10

    return Powers(compile_, evaluate, behind, cached, table_bytes, collect, peak)
