"""Packages of the tests' own, and sandboxes whose programs may import them."""

from pathlib import Path
from typing import Any

import pytest

from sandbox import Policy, Sandbox, SandboxUnavailable


def install(site: Path, name: str, code: str = "", *, needs: str = "") -> Path:
    """Install a package `name` with one module of that name; return the module's folder."""
    (site / name).mkdir()
    (site / name / "__init__.py").write_text(code)
    (site / name / "late.py").write_text("WORD = 'late'\n")
    (site / f"{name}.pth").write_text("import os\n")
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}")
    (info / "direct_url.json").write_text('{"url": "https://user:password@host/"}')
    files = [f"{name}/__init__.py", f"{name}/late.py", f"{name}.pth", "../../bin/tool"]
    files += [f"{info.name}/METADATA", f"{info.name}/direct_url.json", f"{info.name}/RECORD"]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return site / name


def granting(*names: str, **options: Any) -> Policy:
    """Return `kernel-only` with such packages."""
    rows = [{"name": n, "preload": [n], "reason": "A test of it.", **options} for n in names]
    layers = {"namespaces": "required"}
    return Policy.load("kernel-only").replaced(name="granting", packages=rows, layers=layers)


def opened(policy: Policy) -> Sandbox:
    """Open it; the test is skipped where files cannot be shown."""
    try:
        return Sandbox(policy, workers=1)
    except SandboxUnavailable as error:
        if error.layer == "packages":
            raise
        pytest.skip(f"files are shown in a mount namespace: {error.reason}")
