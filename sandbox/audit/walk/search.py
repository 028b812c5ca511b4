"""The search: breadth-first over everything that a guest can do with what it holds.

Each step is source text of a guest, compiled under the policy and run in the guest's own namespace;
what it gives is judged from outside. Runs in a confined fork, see `contained`.
"""

import gc
import signal
import sys
import types
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NoReturn

from sandbox.audit.findings import Severity
from sandbox.audit.policy.rules import SEVERITIES
from sandbox.audit.walk import faults, step_timeout, steps
from sandbox.audit.walk.sinks import Events, Sink, SinkJudge
from sandbox.audit.walk.walk_nodes import Place, identity, kind_of, label
from sandbox.language.compile.compiler import Refused, compile_program
from sandbox.language.guards.classes.class_origin import is_class
from sandbox.language.guest.collector import Collector
from sandbox.language.guest.world import World, enter

MOST_STEPS = 1_000_000
_MOST_OBJECTS = 60_000
_DEEPEST = 7  # steps from a grant
_NEW_PER_TYPE, _NEW_PER_CODE, _NEW_PER_WAY = 24, 4, 2  # objects that steps make are alike
_SAME_ATTRIBUTE = 40  # an attribute of a class gave nothing new on so many of its instances
_SAME_READ = 2  # a reader that was refused twice for a type and a name is refused again
_MOST_HITS, _MOST_FAULTS = 400, 20
_FRAMES = 1000  # how deep each step may go, whatever limit an earlier one set


class Search:
    """One search.

    `ended` are steps that ended an earlier try, by number, and what ended them. With `most_steps`
    it stops there; with `groups` (grant by root) as soon as every grant led to something.
    """

    def __init__(
        self,
        made: World,
        ended: Mapping[int, str],
        begin_step: Callable[[int], None],
        *,
        most_steps: int = MOST_STEPS,
        groups: Mapping[str, str] | None = None,
    ) -> None:
        self.made, self.ended, self.begin_step = made, ended, begin_step
        self.most_steps, self.groups = most_steps, groups or {}
        self.open = set(self.groups.values())  # grants that led to nothing yet
        self.number = self.refused = self.objects = 0
        self.complete = True
        self.hits: list[dict[str, Any]] = []
        self.stepped_over: list[str] = []
        self.faults: dict[str, str] = {}  # errors of ours, each with the step that had it first
        self.codes: dict[str, types.CodeType | None] = {}
        self.seen: dict[int, Any] = {}
        self.new_of_type: Counter[Any] = Counter()
        self.reads: Counter[Any] = Counter()
        self.inherited: Counter[Any] = Counter()
        self.hit_keys: set[tuple[Any, ...]] = set()
        self.reached: dict[str, tuple[str, str]] = {}  # label: grant, expression
        self.per_grant: Counter[str] = Counter()
        self.todo: deque[tuple[Place, Any]] = deque()
        self.witness = "len"
        self.events = Events(steps.CANARY)

    def run(
        self, roots: list[tuple[str, str]], allowed: list[Any], language: bool
    ) -> dict[str, Any]:
        """Search from `roots`, pairs of a grant and the guest's expression for it.

        `allowed` are the granted objects, which a guest holds by right. With `language` the search
        begins too where a guest can begin with nothing granted at all.
        """
        made = self.made
        quiet = Collector(list.clear, 1 << 40, _never)
        self.scope: dict[str, Any] = enter(made, stdin="a\nb\n" * 99, output=quiet, plan=made.plan)
        exec(compile_program(steps.PRELUDE, made.plan), self.scope)
        self.own = {identity(value) for value in self.scope.values()}
        made.state.set_recursion_limit(_FRAMES)
        self.depths = self._depths()
        for module in {root.partition(".")[0] for root, _ in roots}:
            if module in made.importer.facades:
                name = steps.FUTURE if module == "__future__" else module
                self.scope[name] = made.importer.facades[module]
        self.judge = SinkJudge(made, [*allowed, *self.scope.values()])
        self.events.install()
        step_timeout.watch(lambda: self.number if self.events.watching else None)
        gc.disable()
        self._search([*roots, *((_NO_GRANT, e) for e in steps.LANGUAGE if language)])
        return {
            "hits": self.hits,
            "objects": self.objects,
            "steps": self.number,
            "refused": self.refused,
            "stepped_over": self.stepped_over,
            "faults": [f"{step}: {told}" for told, step in self.faults.items()],
            "complete": self.complete and not self.faults,
            "reached": self.reached,
            "per_grant": self.per_grant,
        }

    def _fault(self, step: str, told: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.setdefault(told, step)

    def _search(self, roots: Iterable[tuple[str, str]]) -> None:
        for step, told in faults.broken_controls(self._alone, self.made.plan.builtins):
            self._fault(step, told)
        for root, expression in roots:
            spelled = steps.spell(expression, "", self.witness)
            self._arrive(partial(Place, spelled, root, 0), self._try(spelled, None), expression)
        self.witness = self._find_witness()
        self.readers = [reader for reader in steps.READERS if self._usable(reader)]
        while self.todo:
            if self.number > self.most_steps or self.objects > _MOST_OBJECTS:
                self.complete = False
                return
            place, o = self.todo.popleft()
            if self.groups and not self.open and place.depth > 0:
                return
            if place.depth < _DEEPEST:
                self._expand(place, o)

    def _find_witness(self) -> str:
        """Find a host's function that the guest may name: readers of attributes are tried on it."""
        for place, o in self.todo:
            if type(o) is types.FunctionType and place.root != _NO_GRANT:
                return place.expression
        return "len"

    def _expand(self, place: Place, o: Any) -> None:
        for template in steps.from_object(o, self._is_news):
            self._follow(place, o, template)
        if identity(o) in self.judge.old:
            self._write(place, o)
        kind = o if is_class(o) else type(o)
        for name in steps.leading_out(o):
            self.reads[kind, name] += 1
            for reader in self.readers if self.reads[kind, name] <= _SAME_READ else ():
                self._follow(place, o, reader.format(name=name))

    def _write(self, place: Place, o: Any) -> None:
        """Try to change what is the host's: code that is not the guest's would act on it."""
        for template, done in steps.STORES.items():
            (answer,) = self._try(template, o)
            sink = self.judge.judge_store(o, done)
            if answer == done and sink is not None:
                spelled = steps.spell(template, place.expression, "")
                self._hit(Place(spelled, place.root, place.depth + 1, place, template), sink, "")

    def _is_news(self, owner: type, name: str) -> bool:
        self.inherited[owner, name] += 1
        return self.inherited[owner, name] <= _SAME_ATTRIBUTE

    def _alone(self, template: str) -> Any:
        return self._try(template, None)[0]

    def _usable(self, reader: str) -> bool:
        """Return False for a reader that is made of what the policy does not grant."""
        spelled = [steps.spell(reader.format(name="method"), o, "") for o in ("Own", "Own()")]
        usable, broken = faults.try_reader([self._alone(expression) for expression in spelled])
        if broken:
            self._fault(reader, broken)
        return usable

    def _follow(self, place: Place, o: Any, template: str) -> None:
        self._arrive(partial(self._after, place, template), self._try(template, o), template)

    def _after(self, place: Place, template: str) -> Place:
        spelled = steps.spell(template, place.expression, self.witness)
        return Place(spelled, place.root, place.depth + 1, place, template)

    def _try(self, template: str, value: Any) -> tuple[Any]:
        """Return what `template` gives or raises for `value`; nothing that matters if refused."""
        code = self.codes[template] if template in self.codes else self._compiled(template)
        if code is None:
            self.refused += 1
            return (None,)
        self.number += 1
        if self.number > self.most_steps:
            return (None,)
        if self.number in self.ended:
            self.stepped_over.append(self._source(template))
            if self.ended[self.number] == SYSTEM_CALL:
                self.events.seen = _BY_THE_KERNEL
            return (None,)
        self.begin_step(self.number)
        scope = self.scope
        scope["value"] = value
        events = self.events
        events.seen = None
        events.watching = True
        try:
            exec(code, scope)
            return (scope.get("result"),)
        except step_timeout.TooSlow:
            return (None,)
        except BaseException as error:
            if told := faults.fault_in(error):
                self._fault(self._source(template), told)
            return (error,)
        finally:
            events.watching = False
            if self._depths() != self.depths:
                self.made.state.set_recursion_limit(_FRAMES)

    def _depths(self) -> tuple[int, int]:
        return sys.getrecursionlimit(), self.made.state.recursion_limit

    def _source(self, template: str) -> str:
        return steps.spell(template, "value", self.witness)

    def _compiled(self, template: str) -> types.CodeType | None:
        source = f"result = {self._source(template)}"
        code = None
        try:
            code = compile_program(source, self.made.plan)
        except (Refused, SyntaxError):
            if not faults.is_python(source):
                raise AssertionError(f"a step that is no Python: {source}") from None
        self.codes[template] = code
        return code

    def _arrive(self, there: Callable[[], Place], answer: tuple[Any], way: str) -> None:
        o = answer[0]
        if self.events.seen is not None:
            self._hit(there(), self.events.seen, "")
            self.events.seen = None
            return
        if o is None or identity(o) in self.seen or identity(o) in self.own:
            return
        sink = self.judge.judge(o)
        if sink is not None:
            self._hit(there(), sink, _told(o))
            return
        if not steps.is_plain(o) and self._is_worth_it(o, way):
            self.seen[identity(o)] = o
            self._keep(there(), o)

    def _keep(self, place: Place, o: Any) -> None:
        self.objects += 1
        self.per_grant[place.root] += 1
        if identity(o) in self.judge.old:
            self.reached.setdefault(label(o), (place.root, place.expression))
        self.todo.append((place, o))

    def _is_worth_it(self, o: Any, way: str) -> bool:
        if identity(o) in self.judge.old:
            return True
        kind = kind_of(o)
        self.new_of_type[kind] += 1
        if self.new_of_type[kind] > (_NEW_PER_TYPE if kind is type(o) else _NEW_PER_CODE):
            return False
        self.new_of_type[kind, way] += 1
        return self.new_of_type[kind, way] <= _NEW_PER_WAY

    def _hit(self, place: Place, sink: Sink, told: str) -> None:
        key = place.root, sink
        if key in self.hit_keys or len(self.hits) >= _MOST_HITS:
            return
        self.hit_keys.add(key)
        if SEVERITIES[sink.rule] >= Severity.HIGH:
            self.open.discard(self.groups.get(place.root, ""))
        self.hits.append(
            {
                "root": place.root,
                "rule": sink.rule,
                "what": sink.what,
                "path": place.expression,
                "chain": place.chain(),
                "told": told,
            }
        )


# How a fork ends that makes a system call which the filter does not allow (SIGSYS).
SYSTEM_CALL = f"signal {signal.SIGSYS}"
_BY_THE_KERNEL = Sink("escape-system", "a system call that only the kernel's filter refused")
_NO_GRANT = "the language"


def _never() -> NoReturn:
    raise AssertionError("a walk does not print that much")


def _told(o: Any) -> str:
    """Return how the guest's own `repr` would begin, without the address."""
    try:
        return repr(o).partition(" at 0x")[0][:80]
    except BaseException:
        return type(o).__name__
