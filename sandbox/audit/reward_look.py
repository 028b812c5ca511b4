"""What every check of the static gate works with: the source's tables, and where findings go."""

import ast
import warnings
from functools import cached_property

from sandbox.audit.findings import Finding, Severity
from sandbox.audit.reward_constants import Constants
from sandbox.audit.reward_references import OWN_CLASS, OWN_FUNCTION, UNKNOWN
from sandbox.audit.reward_rules import FIXES, MODULE_RULES
from sandbox.audit.reward_scopes import Scopes
from sandbox.policy.model import Policy

OWN_PACKAGE = "sandbox"


class Look:
    """One source under examination."""

    def __init__(self, tree: ast.Module) -> None:
        plan = Policy.load("reward").plan()
        self.tree = tree
        self.builtins = frozenset(plan.builtins)
        self.modules = {module: frozenset(names) for module, names in plan.modules.items()}
        self.scopes = Scopes(tree, self.modules)
        self.constants = Constants(self.scopes)
        self.references = self.constants.references
        self.findings: dict[tuple[str, int, str], Finding] = {}
        self.imported = frozenset(self._imported())

    def report(
        self,
        rule: str,
        node: ast.AST,
        explanation: str,
        *,
        path: str = "",
        severity: Severity = Severity.HIGH,
        fix: str = "",
    ) -> None:
        """One finding at `node`; the same rule says one thing once per line."""
        line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
        path = path or shown(node)
        self.findings.setdefault(
            (rule, line or 0, path),
            Finding(
                severity=severity,
                rule=rule,
                path=path,
                explanation=explanation,
                fix=fix or FIXES[rule],
                line=line,
                column=None if column is None else column + 1,
            ),
        )

    @cached_property
    def leaked_methods(self) -> frozenset[str]:
        """Methods that may be called with something else than an own object for `self`."""
        found = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name) as base, attr=attr):
                    if name == "cls" or OWN_CLASS in self.references.of(base):
                        found.add(attr)
                case ast.Name(id=name, ctx=ast.Load()):
                    scope, _ = self.scopes.find(name, self.scopes.at(node))
                    if scope is not None and scope.is_class:
                        found.add(name)
                case ast.FunctionDef(name=name, decorator_list=[_, *_] as decorators):
                    refs = [self.references.of(each) for each in decorators]
                    if any({OWN_FUNCTION, UNKNOWN} & each for each in refs):
                        found.add(name)
        return frozenset(found)

    @cached_property
    def is_seeded(self) -> bool:
        """True if `random.seed` is called with a seed."""
        return any(
            isinstance(node, ast.Call)
            and bool(node.args)
            and self.references.of(node.func) == {"random.seed"}
            for node in ast.walk(self.tree)
        )

    def parent(self, node: ast.AST) -> ast.AST:
        """The node around `node`."""
        return self.scopes.parent.get(id(node), self.tree)

    def is_module(self, ref: str) -> bool:
        """True if `ref` is the dotted name of a module, as far as the source or we know."""
        return ref in self.imported or ref in self.modules or ref in MODULE_RULES

    def modules_of(self, node: ast.expr) -> list[str]:
        """Which modules the value of `node` may be."""
        return sorted(ref for ref in self.references.of(node) if self.is_module(ref))

    def _imported(self) -> list[str]:
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    parts = alias.name.split(".")
                    found += [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return found


def parse(source: str) -> ast.Module | None:
    """The tree of a source, or None for what cannot be parsed here. Warnings are the author's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def shown(node: ast.AST) -> str:
    """The source of `node` on one line, at most 80 characters of it."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        text = type(node).__name__
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else text[:77] + "..."
