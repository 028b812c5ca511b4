"""What a policy may grant of packages, what is shown of one, and what an import may not leave."""

import os
import shutil
import sysconfig
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest
from own_packages import granting, install, opened

from sandbox import Policy, PolicyError, Sandbox, SandboxUnavailable, Status
from sandbox.audit.policy import shown
from sandbox.audit.policy.diff import audit_diff
from sandbox.policy import packages
from sandbox.runtime.caller.doctor import examine

Make = Callable[..., Policy]


def test_a_missing_package_is_told_with_what_installs_it() -> None:
    policy = granting().replaced(packages=[{"name": "no-such-package", "reason": "A test of it."}])
    with pytest.raises(SandboxUnavailable, match="pip install no-such-package") as refused:
        Sandbox(policy)
    assert refused.value.layer == "packages"


def test_a_missing_optional_package_cannot_be_imported_and_all_else_works() -> None:
    row = {"name": "no-such-package", "optional": True, "reason": "A test of it."}
    with opened(granting().replaced(packages=[row])) as sandbox:
        assert sandbox.run("import json\nprint(json.dumps(1))").output == "1\n"
        assert "ModuleNotFoundError" in sandbox.run("import no_such_package").error


def test_a_package_is_shown_with_its_late_modules_and_nothing_beside_it(site: Path) -> None:
    folder = install(site, "granted")
    install(site, "other")
    (folder / ".env").write_text("SECRET=1")
    with opened(granting("granted")) as sandbox:
        code = f"import granted.late, os\nnames = os.listdir({str(site)!r})\n"
        code += "print(granted.late.WORD, sorted(names))\n"
        code += f"print(sorted(n for n in os.listdir({str(folder)!r}) if n != '__pycache__'))"
        first, second = sandbox.run(code).output.splitlines()
        assert first == "late ['granted', 'granted-1.0.dist-info']"
        assert second == "['__init__.py', 'late.py']"
        for path in (folder / ".env", site / "granted.pth", site / "other" / "__init__.py"):
            assert "FileNotFoundError" in sandbox.run(f"open({str(path)!r})").error
        info = site / "granted-1.0.dist-info"
        assert sandbox.run(f"print(open({str(info / 'METADATA')!r}).read()[:8])").ok
        assert not sandbox.run(f"open({str(info / 'direct_url.json')!r})").ok
        assert "ModuleNotFoundError" in sandbox.run("import other").error


@pytest.mark.parametrize("what", ["secret.txt", "gone.cpython-311.pyc", "deep/secret.pyc"])
def test_what_is_compiled_from_nothing_that_is_recorded_is_not_shown(site: Path, what: str) -> None:
    secret = install(site, "granted") / "__pycache__" / what
    secret.parent.mkdir(parents=True)
    secret.write_text("SECRET=1")
    with opened(granting("granted")) as sandbox:
        assert sandbox.run("import granted.late\nprint(granted.late.WORD)").output == "late\n"
        assert "FileNotFoundError" in sandbox.run(f"open({str(secret)!r})").error


def test_no_link_of_the_library_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module.py").write_text("")
    (tmp_path / "site.cfg").symlink_to("/etc/passwd")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    monkeypatch.setattr(packages.sysconfig, "get_path", lambda name: str(tmp_path))
    packages.library.cache_clear()
    try:
        assert packages.library() == [str(tmp_path / "module.py")]
    finally:
        packages.library.cache_clear()


def test_a_dependency_is_shown_if_it_was_imported(site: Path) -> None:
    install(site, "needed")
    install(site, "unused")
    install(site, "granted", "import needed", needs="needed\nRequires-Dist: unused")
    with opened(granting("granted")) as sandbox:
        assert sandbox.run("import needed.late\nprint(needed.late.WORD)").output == "late\n"
        assert "ModuleNotFoundError" in sandbox.run("import unused").error


def test_a_shared_object_that_is_imported_late_is_there(site: Path) -> None:
    own = Path(sysconfig.get_config_var("DESTSHARED")).glob(f"_*{EXTENSION_SUFFIXES[0]}")
    path = next(
        (path for path in sorted(own) if path.name.startswith(("_bisect.", "_heapq."))), None
    )
    if path is None:
        pytest.skip("this Python has no such module as a file")
    folder = install(
        site, "granted", "def late():\n    import granted.parts as parts\n    return parts"
    )
    module = path.name.split(".")[0]
    (folder / "parts.py").write_text(f"from granted import {module}\n")
    shutil.copy(path, folder / path.name)
    (folder / f"broken{EXTENSION_SUFFIXES[0]}").write_text("not a shared object")
    records = site / "granted-1.0.dist-info" / "RECORD"
    new = (path.name, f"broken{EXTENSION_SUFFIXES[0]}", "parts.py")
    records.write_text(records.read_text() + "".join(f"granted/{name},,\n" for name in new))
    with opened(granting("granted")) as sandbox:
        code = f"import granted\nprint(granted.late().{module}.__file__)"
        assert sandbox.run(code).output == f"{folder / path.name}\n"
        assert "ImportError" in sandbox.run("import granted.broken").error


LEFT = {
    "threads": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "open descriptors": "KEPT = open('/etc/passwd')",
    "child processes": "import subprocess, sys\n"
    "KEPT = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])",
}


@pytest.mark.parametrize("what", LEFT)
def test_what_an_import_leaves_for_children_is_refused_by_name(site: Path, what: str) -> None:
    install(site, "leaving", LEFT[what])
    with pytest.raises(SandboxUnavailable, match=f"import leaving .* left {what}") as refused:
        opened(granting("leaving"))
    assert refused.value.layer == "packages"


def test_what_fails_at_import_or_in_a_warm_up_is_told(site: Path) -> None:
    install(site, "failing", "1 / 0")
    with pytest.raises(SandboxUnavailable, match=r"import failing .* ZeroDivisionError"):
        opened(granting("failing"))
    install(site, "fine")
    with pytest.raises(SandboxUnavailable, match=r"warm_up .* NameError"):
        opened(granting("fine", warm_up="no_such_name"))


def test_what_an_import_leaves_for_itself_is_undone(site: Path) -> None:
    code = "import atexit, tempfile\nFILE = tempfile.mkstemp()\n__import__('os').close(FILE[0])\n"
    install(site, "untidy", code + "atexit.register(print, 'of the supervisor')")
    with opened(granting("untidy")) as sandbox:
        result = sandbox.run("import untidy\nprint(untidy.FILE[1])")
        assert result.status is Status.OK
        (path,) = result.output.splitlines()
    assert not os.path.exists(path)


def test_a_warm_up_is_done_before_any_program(site: Path) -> None:
    install(site, "warm", "COUNT = 0")
    with opened(granting("warm", warm_up="import warm\nwarm.COUNT += 1")) as sandbox:
        for _ in range(2):
            program = (
                "import os, warm\nprint(warm.COUNT, os.environ['OMP_NUM_THREADS'])\nwarm.COUNT = 9"
            )
            assert sandbox.run(program).output == "1 1\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"layers": {"namespaces": "optional"}}, "layers.namespaces"),
        ({"packages": [{"name": "a", "reason": "A test."}] * 2}, "granted twice"),
        ({"packages": [{"name": "a", "reason": " "}]}, "reason"),
        ({"packages": [{"name": "../a", "reason": "A test."}]}, "name"),
        ({"packages": [{"name": "a", "preload": ["a b"], "reason": "A test."}]}, "identifier"),
        ({"threads": 65}, "threads"),
        ({"threads": -1}, "threads"),
    ],
)
def test_a_grant_that_does_not_hold_together_is_refused(changes: Any, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        granting("packaging").replaced(**changes)


def test_under_the_language_layer_there_are_no_threads_and_no_package_but_numpy() -> None:
    row = {"name": "packaging", "reason": "A test of it."}
    for changes in ({"packages": [row]}, {"threads": 1}):
        with pytest.raises(PolicyError, match='need language = "off"'):
            Policy.load("strict").replaced(**changes)


def test_a_file_adds_packages_and_takes_them_away() -> None:
    science = Policy.load("science")
    text = 'extends = "science"\nthreads = 3\nremove_packages = ["numpy"]\n'
    text += '[[packages]]\nname = "packaging"\nwarm_up = "x = 1"\nreason = "A test of it."\n'
    policy = Policy.from_toml(text)
    names = [grant.name for grant in policy.packages]
    assert names == [g.name for g in science.packages if g.name != "numpy"] + ["packaging"]
    assert Policy.from_toml(policy.to_toml()) == policy
    assert policy.plan().threads == 3
    with pytest.raises(PolicyError, match=r"nump is not granted by 'science' .did you mean numpy"):
        Policy.from_toml('extends = "science"\nremove_packages = ["nump"]')


def test_doctor_and_audit_tell_what_is_shown(site: Path) -> None:
    install(site, "granted")
    policy = granting("granted")
    report = examine(policy)
    if report.problem:
        pytest.skip(report.problem)
    assert str(site / "granted") in report.shown
    assert f"{site}: granted" in packages.summary(report.shown)
    assert f"{site}: granted" in str(shown.figures(policy)["files shown"])
    assert (examine("strict").shown, shown.figures(Policy.load("strict"))) == ((), {})


def test_a_comparison_tells_of_packages_and_threads_that_are_new() -> None:
    kernel_only = Policy.load("kernel-only")
    found = audit_diff(kernel_only, Policy.load("science").replaced(threads=2)).findings
    paths = {finding.path for finding in found}
    assert {"packages.numpy", "packages.tzdata", "threads"} <= paths
    back = audit_diff(Policy.load("science"), kernel_only).findings
    assert not any(finding.path.startswith("packages.") for finding in back)
