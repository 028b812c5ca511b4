"""The graph of an audit: the paths to sinks, or, where there are none, how far each grant leads."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sandbox.audit.findings import Edge, Graph, Node, Severity

_MOST_PATHS = 40
_MOST_GRANTS = 14  # of a clean policy; the rest is one box


def of_paths(hits: Iterable[Mapping[str, Any]], severities: Mapping[str, Severity]) -> Graph:
    """Make boxes and lines for the paths of `hits`, from a walk."""
    nodes: dict[str, Node] = {}
    edges: dict[tuple[str, str], Edge] = {}
    for hit in list(hits)[:_MOST_PATHS]:
        root = f"grant {hit['root']}"
        nodes[root] = Node(id=root, label=hit["root"], kind="grant")
        before, text = root, hit["root"]
        for expression in hit["chain"][:-1]:
            if expression == text:
                continue
            nodes.setdefault(expression, Node(id=expression, label=expression, kind="step"))
            edges[before, expression] = _edge(before, expression, text, expression)
            before, text = expression, expression
        sink = f"sink {hit['what']}"
        severity = severities.get(hit["rule"], Severity.HIGH)
        nodes[sink] = Node(id=sink, label=hit["what"], kind="sink", severity=severity)
        edges[before, sink] = _edge(before, sink, text, hit["path"])
    return Graph(nodes=tuple(nodes.values()), edges=tuple(edges.values()))


def of_counts(per_grant: Mapping[str, int], modules: Collection[str]) -> Graph:
    """Make a graph of the granted `modules` and how many objects each led to; no path was bad."""
    totals: Counter[str] = Counter()
    for grant, number in per_grant.items():
        module = grant if grant in modules else grant.rpartition(".")[0]
        totals[module or ("the language" if " " in grant else "builtins")] += number
    end = Node(id="end", label="no sink was reached", kind="end")
    nodes = [
        Node(id=module, label=f"{module}: {number} objects", kind="grant")
        for module, number in totals.most_common(_MOST_GRANTS)
    ]
    rest = totals.most_common()[_MOST_GRANTS:]
    if rest:
        label = f"{len(rest)} more modules: {sum(number for _, number in rest)} objects"
        nodes.append(Node(id="rest", label=label, kind="grant"))
    edges = [Edge(source=node.id, target="end", label="") for node in nodes]
    return Graph(nodes=(*nodes, end), edges=tuple(edges))


def _edge(source: str, target: str, before: str, after: str) -> Edge:
    """Make a line that says what the step adds to the expression."""
    label = after.removeprefix(before) if after.startswith(before) else after.replace(before, "…")
    return Edge(source=source, target=target, label=label)
