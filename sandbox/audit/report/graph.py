"""The picture of an audit: columns of boxes from grants to sinks, ready to be drawn."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sandbox.audit.findings import Edge, Graph, Node

_BOX_HEIGHT, _ROW, _GAP, _MARGIN = 26, 38, 150, 12
_GLYPH = 6.6  # width of a monospaced glyph at 11 px
_LONGEST = 52  # glyphs of a label; the whole of it is in the tooltip


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A place with where it stands, in px."""

    left: int
    top: int
    width: int
    label: str
    title: str
    classes: str
    height: int = _BOX_HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A step with its curve, as the data of an SVG path, and where its label stands."""

    curve: str
    x: int
    y: int
    label: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Everything that a report draws, and the size of it in px."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def picture(graph: Graph) -> Picture | None:
    """Lay out `graph`; None for an empty one."""
    if not graph.nodes:
        return None
    columns = _columns(graph)
    boxes: dict[str, Box] = {}
    left = float(_MARGIN)
    tallest = max(map(len, columns))
    for column in columns:
        lower = (tallest - len(column)) * _ROW / 2  # each column in the middle
        width = max(len(_short(node.label)) for node in column) * _GLYPH + 18
        for row, node in enumerate(column):
            boxes[node.id] = _box(node, left, _MARGIN + lower + row * _ROW, width)
        left += width + _GAP
    return Picture(
        width=round(left - _GAP + _MARGIN),
        height=2 * _MARGIN + tallest * _ROW,
        boxes=tuple(boxes.values()),
        lines=tuple(
            _line(edge, boxes[edge.source], boxes[edge.target])
            for edge in graph.edges
            if edge.source in boxes and edge.target in boxes
        ),
    )


def _columns(graph: Graph) -> list[list[Node]]:
    """Make columns: grants first, each step one further than the step before it, sinks last."""
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
    """Sort a column: the worst first, and each near to where a guest reaches it from."""

    def key(node: Node) -> tuple[int, int, str]:
        sources = [rows[source] for source in into.get(node.id, ()) if source in rows]
        return -(node.severity or 0), min(sources, default=0), node.label if sources else ""

    return sorted(nodes, key=key)


def _line(edge: Edge, source: Box, target: Box) -> Line:
    x, y = source.left + source.width, source.top + _BOX_HEIGHT // 2
    to_x, to_y = target.left, target.top + _BOX_HEIGHT // 2
    middle = (x + to_x) // 2
    return Line(
        curve=f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}",
        x=middle,
        y=(y + to_y) // 2 - 4,
        label=_short(edge.label, 22),
        title=edge.label,
    )


def _box(node: Node, left: float, top: float, width: float) -> Box:
    tone = f" {node.severity.label}" if node.severity is not None else ""
    return Box(
        left=round(left),
        top=round(top),
        width=round(width),
        label=_short(node.label),
        title=node.label,
        classes=f"{node.kind}{tone}",
    )


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
