"""Reads a policy for an audit, also one that does not load: what is wrong with it are findings.

`Policy.load` stops at what it does not understand, as it must. Here the faulty parts are named and
left out, so that the rest can still be looked at, and grants that are not supported are kept as
what-if grants.
"""

import tomllib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

from sandbox.audit.findings import Finding, Severity
from sandbox.audit.walk.what_if import ALL, BUILTINS, RawGrant
from sandbox.errors import PolicyError, Problem, policy_error
from sandbox.policy.files.document import Document
from sandbox.policy.files.loader import shipped
from sandbox.policy.files.locate import Text
from sandbox.policy.files.merge import merge
from sandbox.policy.files.notices import gathered, renamed
from sandbox.policy.files.problems import GRANT_KEYS, TOP_KEYS
from sandbox.policy.files.tables import BuiltinsGrant, ModuleGrant
from sandbox.policy.model import Policy
from sandbox.policy.support import supported
from sandbox.policy.tighten import did_you_mean

_NO_REASON = "(no reason given)"
_MOST_FAULTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A policy as far as it could be read."""

    subject: str
    file: str | None
    text: Text
    policy: Policy | None  # without the faulty parts; None where nothing sensible is left
    refused: tuple[RawGrant, ...] = ()
    findings: tuple[Finding, ...] = ()


def read(policy: "str | PathLike[str] | Policy") -> Draft:
    """Read a shipped policy by name, a policy file, or a `Policy`.

    Raises PolicyError where there is no such policy, or the file cannot be read.
    """
    if isinstance(policy, Policy):
        return Draft(subject=policy.name, file=None, text=Text(""), policy=policy)
    if isinstance(policy, str) and policy in shipped():
        return Draft(subject=policy, file=None, text=Text(""), policy=Policy.load(policy))
    path = Path(policy)
    if not path.is_file():
        Policy.load(policy)  # it says best what is wrong
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = f"cannot be read: {error}"
        raise policy_error(Problem(file=str(path), reason=reason)) from error
    return _Reader(str(path), text).draft()


class _Reader:
    """One pass over the text of one file."""

    def __init__(self, file: str, text: str) -> None:
        self._file, self._source, self._text = file, text, Text(text)
        self._findings: list[Finding] = []
        self._refused: list[RawGrant] = []

    def draft(self) -> Draft:
        with gathered() as notices:
            policy = self._sound() or self._repaired()
        for notice in notices:
            self._note(notice)
        return Draft(
            subject=Path(self._file).stem,
            file=self._file,
            text=self._text,
            policy=policy,
            refused=tuple(self._refused),
            findings=tuple(self._findings),
        )

    def _sound(self) -> Policy | None:
        try:
            return Policy.load(Path(self._file))
        except PolicyError:
            return None

    def _repaired(self) -> Policy | None:
        try:
            data = tomllib.loads(self._source)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self._fault("the file", f"is not TOML: {error}")
            return None
        document = {
            key: value
            for key, value in data.items()
            if key in TOP_KEYS and key not in ("builtins", "modules", "extends")
        }
        for key in data.keys() - set(TOP_KEYS):
            self._fault(key, "unknown key, so it has no effect")
        parent = self._parent(data.get("extends"))
        for key in ("builtins", "modules"):
            grants = data.get(key, [])
            if not _listed(grants) or len(_tables(grants)) < len(grants):
                self._fault(key, f"must be tables: [[{key}]]")
        document["builtins"] = tuple(self._builtins(data.get("builtins", ())))
        document["modules"] = tuple(self._modules(data.get("modules", ())))
        try:
            return self._merged(parent, renamed(document, self._file, self._source))
        except PolicyError as error:  # it has both names of a key
            self._without_faults(document, error)
            return None

    def _parent(self, target: Any) -> Policy | None:
        if target is None:
            return None
        try:
            known = target in shipped()
            return Policy.load(target if known else Path(self._file).parent / str(target))
        except PolicyError as error:
            self._fault("extends", str(error))
            return None

    def _builtins(self, grants: Any) -> "list[BuiltinsGrant]":
        known, found = supported()[0], []
        for number, grant in enumerate(_tables(grants)):
            self._check_keys("builtins", number, grant)
            reason = self._reason("builtins", number, grant)
            names = [name for name in _texts(grant.get("names")) if name.isidentifier()]
            self._refused += [RawGrant(BUILTINS, name) for name in names if name not in known]
            names = [name for name in dict.fromkeys(names) if name in known]
            if names:
                found.append(BuiltinsGrant(names=tuple(names), reason=reason))
        return found

    def _modules(self, grants: Any) -> "list[ModuleGrant]":
        modules, found = supported()[1], []
        for number, grant in enumerate(_tables(grants)):
            self._check_keys("modules", number, grant)
            reason = self._reason("modules", number, grant)
            if "module" not in grant:
                self._fault(f"modules[{number}].module", "is missing")
                continue
            module, names = str(grant.get("module", "")), list(_texts(grant.get("names")))
            known = modules.get(module)
            if not all(part.isidentifier() for part in module.split(".")):
                self._fault(f"modules[{number}].module", f"{module!r} is no name of a module")
                continue
            if known is None:
                self._refused += [RawGrant(module, name) for name in names or [ALL]]
                continue
            wrong = [name for name in names if name != ALL and name not in known]
            self._refused += [RawGrant(module, name) for name in wrong]
            left = tuple(dict.fromkeys(name for name in names if name not in wrong))
            if left:
                found.append(ModuleGrant(module=module, names=left, reason=reason))
        return found

    def _check_keys(self, table: str, number: int, grant: dict[str, Any]) -> None:
        known = GRANT_KEYS[table]
        for key in [key for key in grant if key not in known]:
            self._fault(f"{table}[{number}].{key}", "unknown key" + did_you_mean(key, known))

    def _reason(self, table: str, number: int, grant: dict[str, Any]) -> str:
        reason = grant.get("reason")
        if isinstance(reason, str) and reason.strip():
            return reason
        names = ", ".join(_texts(grant.get("names")))
        module = f"{grant.get('module', f'modules[{number}]')}: " if table == "modules" else ""
        self._findings.append(
            Finding(
                severity=Severity.HIGH,
                rule="grant-without-reason",
                path=f"{module}{names}"[:120],
                explanation=f"{table}[{number}] says no reason, and a policy without one does not "
                "load.",
                fix='Add reason = "…": why the grant is safe, or which limit or layer holds it.',
                line=self._text.table(table, number),
                file=self._file,
            )
        )
        return _NO_REASON

    def _merged(self, parent: Policy | None, document: dict[str, Any]) -> Policy | None:
        """Return what is left once each key that the loader refuses is taken out, one by one."""
        for _ in range(_MOST_FAULTS):
            try:
                left = cast(Document, document)
                stem = Path(self._file).stem
                return merge(Policy, parent, left, origin=self._file, stem=stem)
            except PolicyError as error:
                if not self._without_faults(document, error):
                    return None
            except (AttributeError, TypeError, ValueError) as error:
                self._fault("the file", f"does not have the shape of a policy: {error}")
                return None
        return None

    def _without_faults(self, document: dict[str, Any], error: PolicyError) -> bool:
        """Take what `error` names out of `document`; False where nothing could be taken."""
        removed = False
        for problem in error.problems:
            if not problem.key and len(error.problems) > 1:  # how many more there are
                continue
            self._fault(problem.key or "the file", problem.reason)
            table, _, name = problem.key.partition(".")
            table = table.partition("[")[0]
            if isinstance(document.get(table), dict) and name in document[table]:
                del document[table][name]
                removed = True
            elif table in document and table not in ("builtins", "modules"):
                del document[table]
                removed = True
        return removed

    def _note(self, notice: Problem) -> None:
        self._findings.append(
            Finding(
                severity=Severity.LOW,
                rule="deprecated-key",
                path=notice.key,
                explanation=f"{notice.key} {notice.reason}.",
                fix="Give the key its new name.",
                line=notice.line,
                file=notice.file,
            )
        )

    def _fault(self, key: str, reason: str) -> None:
        finding = Finding(
            severity=Severity.HIGH,
            rule="policy-invalid",
            path=key,
            explanation=f"{key}: {reason}. The policy does not load.",
            fix="Correct it; `sandbox policy check` says when it loads.",
            line=self._text.path(key),
            file=self._file,
        )
        if finding not in self._findings:
            self._findings.append(finding)


def _tables(grants: Any) -> list[dict[str, Any]]:
    return [grant for grant in grants if isinstance(grant, dict)] if _listed(grants) else []


def _texts(names: Any) -> list[str]:
    if isinstance(names, str):
        return [names]
    return [name for name in names if isinstance(name, str)] if _listed(names) else []


def _listed(value: Any) -> bool:
    return isinstance(value, (list, tuple))
