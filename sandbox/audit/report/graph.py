"""The picture of an audit: columns of boxes from grants to sinks, as SVG."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape

from sandbox.audit.findings import Edge, Graph, Node

_BOX_HEIGHT, _ROW, _GAP, _MARGIN = 26, 38, 150, 12
_GLYPH = 6.6  # width of a monospaced glyph at 11 px
_LONGEST = 52  # glyphs of a label; the whole of it is in the tooltip


def to_svg(graph: Graph) -> str:
    """`graph` as one SVG element; the empty text for an empty graph."""
    if not graph.nodes:
        return ""
    columns = _columns(graph)
    spots: dict[str, tuple[float, float, float]] = {}  # left, top, width
    left = float(_MARGIN)
    tallest = max(map(len, columns))
    for column in columns:
        lower = (tallest - len(column)) * _ROW / 2  # each column in the middle
        width = max(len(_short(node.label)) for node in column) * _GLYPH + 18
        for row, node in enumerate(column):
            spots[node.id] = (left, _MARGIN + lower + row * _ROW, width)
        left += width + _GAP
    height = 2 * _MARGIN + tallest * _ROW
    width = left - _GAP + _MARGIN
    nodes = {node.id: node for node in graph.nodes}
    parts = [_edge(edge, spots) for edge in graph.edges if edge.source in spots]
    parts += [_box(nodes[name], *spot) for name, spot in spots.items()]
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    title = "What a guest can reach, from grants on the left to sinks on the right"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" {size}>'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def _columns(graph: Graph) -> list[list[Node]]:
    """Grants first, each step one further than the step before it, sinks last."""
    into: dict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        into[edge.target].append(edge.source)
    depth: dict[str, int] = {node.id: 0 for node in graph.nodes if node.kind == "grant"}
    for _ in graph.nodes:
        for node in graph.nodes:
            before = [depth[source] for source in into[node.id] if source in depth]
            if node.id not in depth and before:
                depth[node.id] = min(before) + 1
    steps = [depth.get(node.id, 0) for node in graph.nodes if node.kind != "sink"]
    last = max(steps, default=0) + 1
    columns: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        columns[last if node.kind == "sink" else depth.get(node.id, 0)].append(node)
    rows: dict[str, int] = {}  # where a node stands in its column
    placed = []
    for number in sorted(columns):
        placed.append(_settled(columns[number], into, rows))
        rows.update((node.id, row) for row, node in enumerate(placed[-1]))
    return placed


def _settled(
    nodes: Iterable[Node], into: Mapping[str, list[str]], rows: Mapping[str, int]
) -> list[Node]:
    """The worst first, and each near to where it is reached from."""

    def key(node: Node) -> tuple[int, int, str]:
        sources = [rows[source] for source in into.get(node.id, ()) if source in rows]
        return -(node.severity or 0), min(sources, default=0), node.label if sources else ""

    return sorted(nodes, key=key)


def _edge(edge: Edge, spots: dict[str, tuple[float, float, float]]) -> str:
    if edge.target not in spots:
        return ""
    left, top, width = spots[edge.source]
    to_left, to_top, _ = spots[edge.target]
    x, y = left + width, top + _BOX_HEIGHT / 2
    to_y = to_top + _BOX_HEIGHT / 2
    middle = (x + to_left) / 2
    curve = (
        f"M{x:.0f} {y:.0f}C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_left:.0f} {to_y:.0f}"
    )
    label = f'<text x="{middle:.0f}" y="{(y + to_y) / 2 - 4:.0f}" text-anchor="middle">'
    return (
        f'<g class="edge"><title>{escape(edge.label)}</title><path d="{curve}"/>'
        f"{label}{escape(_short(edge.label, 22))}</text></g>"
    )


def _box(node: Node, left: float, top: float, width: float) -> str:
    tone = f" {node.severity.label}" if node.severity is not None else ""
    return (
        f'<g class="node {node.kind}{tone}"><title>{escape(node.label)}</title>'
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{_BOX_HEIGHT}" rx="5"/>'
        f'<text x="{left + 9:.0f}" y="{top + 17:.0f}">{escape(_short(node.label))}</text></g>'
    )


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
