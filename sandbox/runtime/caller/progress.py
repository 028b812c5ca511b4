"""The bar that `progress=True` shows; without it nothing, at no cost."""

from collections.abc import Iterable, Iterator, Sized
from typing import Any, TypeVar

_T = TypeVar("_T")


class _Nothing:
    """Has of a bar what is used here. tqdm's own starts a thread in the caller's process."""

    def update(self, _steps: int = 1) -> None:
        """Do as if it counted."""

    def set_postfix_str(self, _text: str, refresh: bool = True) -> None:
        """Do as if it showed it."""

    def refresh(self) -> None:
        """Do as if it drew."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def __enter__(self) -> "_Nothing":
        return self

    def __exit__(self, *_: object) -> None:
        return None


def progress_bar(total: int | None = None, *, unit: str, shown: bool) -> Any:
    """Make a tqdm bar over `total` of `unit`, or what behaves like one and does nothing."""
    if not shown:
        return _Nothing()
    from tqdm import tqdm

    return tqdm(total=total, unit=unit)


def with_bar(results: Iterator[_T], jobs: Iterable[object], *, unit: str = "run") -> Iterator[_T]:
    """Give `results` with a tqdm bar over them, of as many as `jobs` are if that is known."""
    from tqdm import tqdm

    yield from tqdm(results, total=len(jobs) if isinstance(jobs, Sized) else None, unit=unit)
