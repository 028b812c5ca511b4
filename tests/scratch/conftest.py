"""Sandboxes whose programs have a scratch directory, one for each policy."""

from collections.abc import Callable, Iterator

import pytest

from sandbox import Policy, Sandbox, SandboxUnavailable

Opened = Callable[[str], Sandbox]


@pytest.fixture(scope="package")
def opened() -> Iterator[Opened]:
    """Open a shipped policy by its name, once; the test is skipped where it gives no directory."""
    found: dict[str, Sandbox] = {}

    def open_one(name: str = "kernel-only") -> Sandbox:
        if name not in found:
            try:
                found[name] = Sandbox(Policy.load(name), workers=1)
            except SandboxUnavailable as error:
                pytest.skip(f"this host cannot open {name}: {error.reason}")
        if "namespaces" not in found[name].layers:
            pytest.skip(
                "a scratch directory is mounted in a mount namespace, which this host has not"
            )
        return found[name]

    yield open_one
    for sandbox in found.values():
        sandbox.close()


@pytest.fixture
def box(opened: Opened) -> Sandbox:
    """The policy `kernel-only`."""
    return opened("kernel-only")
