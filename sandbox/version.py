"""Which version of the package this is."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

NAME = "restricted-execution"
UNKNOWN = "0+unknown"


def version() -> str:
    """The version that is installed; `UNKNOWN` for a checkout that only lies on the path."""
    try:
        return installed(NAME)
    except PackageNotFoundError:
        return UNKNOWN
