"""/docs: the interface as one page that loads nothing, from no network."""

from collections.abc import Iterator
from html import escape
from typing import Any

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .2rem .6rem;
text-align: left; vertical-align: top } code { background: #f3f3f3; padding: 0 .2rem }
"""


def page(schema: dict[str, Any]) -> str:
    """HTML for an OpenAPI `schema`."""
    title = escape(schema["info"]["title"])
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>",
        f"<style>{_STYLE}</style><h1>{title}</h1><p>{escape(schema['info']['description'])}</p>",
        "<p>The same for programs: <a href='openapi.json'>openapi.json</a></p>",
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parts += _operation(path, method, operation)
    parts.append("<h2>Objects</h2>")
    for name, model in schema.get("components", {}).get("schemas", {}).items():
        parts += _model(name, model)
    return "".join(parts)


def _operation(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        yield f"<p>Body: {_kind(body['schema'])}</p>"
    yield "<table><tr><th>code<th>answer<th>meaning"
    for code, response in operation["responses"].items():
        content: dict[str, Any] = next(iter(response.get("content", {}).values()), {})
        meaning = escape(response["description"])
        yield f"<tr><td>{escape(code)}<td>{_kind(content.get('schema', {}))}<td>{meaning}"
    yield "</table>"


def _model(name: str, model: dict[str, Any]) -> Iterator[str]:
    yield f"<h3 id='{escape(name)}'>{escape(name)}</h3>"
    yield f"<p>{escape(model.get('description', ''))}</p>"
    if "properties" not in model:
        yield f"<p>{_kind(model)}</p>"
        return
    required = model.get("required", ())
    yield "<table><tr><th>field<th>type<th>if left out"
    for field, kind in model["properties"].items():
        absent = (
            "must be there" if field in required else escape(repr(kind.get("default", "empty")))
        )
        yield f"<tr><td><code>{escape(field)}</code><td>{_kind(kind)}<td>{absent}"
    yield "</table>"


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words, with links to what it is made of."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[1])
        return f"<a href='#{name}'>{name}</a>"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(escape(str(value)) for value in schema["enum"])
    kind = escape(str(schema.get("type", "anything")))
    return f"{kind} of {_kind(schema['items'])}" if schema.get("items") else kind
