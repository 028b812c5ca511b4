"""The attributes that a format string names."""

import _string  # type: ignore[import-not-found]

from sandbox.language.compile.names import PLAIN, read_kind

formatter_parser = _string.formatter_parser
formatter_field_name_split = _string.formatter_field_name_split


def needs_guard(text: str) -> bool:
    """Return True if `text` may name an attribute that is not plain. `text` is an exact str."""
    if "." not in text:
        return False
    try:
        return any(
            (field and _names_guarded(field)) or (spec and needs_guard(spec))
            for _, field, spec, _ in formatter_parser(text)
        )
    except ValueError:
        return False  # CPython will refuse it in its own words


def _names_guarded(field: str) -> bool:
    _, rest = formatter_field_name_split(field)
    return any(is_attribute and read_kind(name) != PLAIN for is_attribute, name in rest)
