"""Tools of every check of the static gate: the source's tables, and where findings go."""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from sandbox.audit.findings import Finding, Severity
from sandbox.audit.reward.reading.constants import Constants
from sandbox.audit.reward.reading.references import OWN_CLASS, OWN_FUNCTION, UNKNOWN
from sandbox.audit.reward.reading.scopes import Scopes
from sandbox.audit.reward.reading.tables import MODULE_RULES
from sandbox.audit.reward.rules import FIXES
from sandbox.grading.asserts.parse_cost import MOST_LOOKED_AT, of_dotted_names
from sandbox.policy.model import Policy

OWN_PACKAGE = "sandbox"
# As an import, and as a name that is there without one.
EXECUTE = frozenset(("sandbox.restricted_execution", "builtins.restricted_execution"))
_PLAIN_BASES = frozenset(
    (OWN_CLASS, "abc.ABC", "typing.Generic", "typing.Protocol", "builtins.object")
)
_DEEPEST, _LONGEST_NAME = 200, 1000  # levels of a tree; characters
_MOST_NODES, _MOST_SHOWN = 400, 500  # that are written out again; characters of a finding
_LINE_END = re.compile(r"\r\n?|\n")  # the tokenizer's, which are fewer than str.splitlines()'s
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)  # PEP 263


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
        self.no_types: dict[int, list[ast.expr]] = {}  # of comparisons, by their id
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
        """Note one finding at `node`; the same rule says one thing once per line."""
        line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
        path = (path or shown(node))[:_MOST_SHOWN]
        self.findings.setdefault(
            (rule, line or 0, path),
            Finding(
                severity=severity,
                rule=rule,
                path=printable(path),
                explanation=printable(explanation[:_MOST_SHOWN]),
                fix=fix or FIXES[rule],
                line=line,
                column=None if column is None else column + 1,
            ),
        )

    @cached_property
    def leaked_methods(self) -> frozenset[str]:
        """Methods that may be called with something else than an own object for `self`."""
        found, stored = set(), False
        for node in ast.walk(self.tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name) as base, attr=attr):
                    if name == "cls" or OWN_CLASS in self.references.of(base):
                        found.add(attr)
                case ast.Name(ctx=ast.Load()) if self._is_stored_class(node):
                    stored = True
                case ast.Name(id=name, ctx=ast.Load()):
                    scope, _ = self.scopes.find(name, self.scopes.at(node))
                    if scope is not None and scope.is_class:
                        found.add(name)
                case (
                    ast.FunctionDef(name=name, decorator_list=[_, *_] as decorators)
                    | ast.AsyncFunctionDef(name=name, decorator_list=[_, *_] as decorators)
                ):
                    refs = [self.references.of(each) for each in decorators]
                    if any({OWN_FUNCTION, UNKNOWN} & each for each in refs):
                        found.add(name)
        if stored:
            found |= {method.name for method in self._all_methods()}
        return frozenset(found)

    def _is_stored_class(self, node: ast.Name) -> bool:
        """Return True for an own class that is a value: what its methods get is not known."""
        parent = self.parent(node)
        used = (
            isinstance(parent, ast.Attribute)
            or (isinstance(parent, ast.Call) and parent.func is node)
            or (isinstance(parent, ast.ClassDef) and any(b is node for b in parent.bases))
            or isinstance(parent, (ast.arg, ast.AnnAssign, ast.Subscript, ast.Compare))
        )
        return not used and OWN_CLASS in self.references.of(node)

    def _all_methods(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in ast.walk(self.tree):
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            if id(node) in self.scopes.methods and isinstance(node, functions):
                yield node

    @cached_property
    def hands_on_execute(self) -> bool:
        """True if `restricted_execution` becomes a value, which is called by another name."""
        return any(
            isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Load)
            and bool(self.references.of(node) & EXECUTE)
            and not self._is_followed(node)
            for node in ast.walk(self.tree)
        )

    def _is_followed(self, node: ast.expr) -> bool:
        """Return True for what is called where it stands, or gets an alias that is a variable."""
        match self.parent(node):
            case ast.Call(func=func):
                return func is node
            case ast.Assign(targets=[ast.Name()], value=value):
                return value is node and not self.scopes.at(node).is_class
        return False

    @cached_property
    def has_imported_bases(self) -> bool:
        """True if a class of the source inherits what the source does not show."""
        classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        bases = [base for node in classes for base in node.bases]
        plain = [base.value if isinstance(base, ast.Subscript) else base for base in bases]
        return any(not self.references.of(base) <= _PLAIN_BASES for base in plain)

    @cached_property
    def is_seeded(self) -> bool:
        """True if `random.seed` is called with a seed."""
        return any(
            isinstance(node, ast.Call)
            and bool(node.args)
            and self.references.of(node.func) == {"random.seed"}
            for node in ast.walk(self.tree)
        )

    def is_for_checkers(self, node: ast.AST) -> bool:
        """Return True in the body of `if TYPE_CHECKING:`, which never runs."""
        return id(node) in self._for_checkers

    @cached_property
    def _for_checkers(self) -> frozenset[int]:
        blocks = (node for node in ast.walk(self.tree) if isinstance(node, ast.If))
        never = [b for b in blocks if self.references.of(b.test) == {"typing.TYPE_CHECKING"}]
        return frozenset(
            id(each) for block in never for part in block.body for each in ast.walk(part)
        )

    @cached_property
    def has_class_keywords(self) -> bool:
        """True if a class of the source has keywords, such as a metaclass."""
        classes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))
        return any(node.keywords for node in classes)

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the node around `node`."""
        return self.scopes.parent.get(id(node), self.tree)

    def is_module(self, ref: str) -> bool:
        """Return True if `ref` is the dotted name of a module, as far as the source or we know."""
        return ref in self.imported or ref in self.modules or ref in MODULE_RULES

    def modules_of(self, node: ast.expr) -> list[str]:
        """Return the modules that the value of `node` may be."""
        return sorted(ref for ref in self.references.of(node) if self.is_module(ref))

    def _imported(self) -> list[str]:
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    parts = alias.name.split(".")
                    found += [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return found


def declared_encoding(source: str) -> str:
    """Return the encoding that the first two lines name for a file of this source, if not UTF-8.

    An import decodes a file by it: in UTF-7, say, a comment may be a line of code.
    """
    for line in _LINE_END.split(source.removeprefix("\ufeff"), 2)[:2]:
        found = _COOKIE.match(line)
        if found and found.group(1).lower().replace("_", "-") not in ("utf-8", "utf8", "ascii"):
            return found.group(1)
    return ""


def parse(source: str) -> ast.Module | None:
    """Return the tree of a source, or None if it cannot be parsed here.

    Warnings are the author's. The result is None too for a source that is nested more than 200
    deep, which a check by recursion could not follow, and for one with a name of more than 1,000
    characters, which each finding would repeat.
    """
    if of_dotted_names(source) > MOST_LOOKED_AT:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        if any(map(_has_long_name, level)):
            return None
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None


def _has_long_name(node: ast.AST) -> bool:
    texts = () if isinstance(node, ast.Constant) else vars(node).values()
    return any(isinstance(text, str) and len(text) > _LONGEST_NAME for text in texts)


def printable(text: str) -> str:
    """Return `text` without what would move a terminal's cursor or turn its letters around."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def shown(node: ast.AST) -> str:
    """Return the source of `node` on one line of at most 80 characters; its kind if it is large."""
    if len(list(islice(ast.walk(node), _MOST_NODES))) == _MOST_NODES:
        return type(node).__name__
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        text = type(node).__name__
    return text if len(text) <= 80 else text[:77] + "..."
