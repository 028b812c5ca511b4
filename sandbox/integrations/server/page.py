"""/docs: the interface as one page that loads nothing, from no network."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sandbox.pages.engine import render


class Word(NamedTuple):
    """A part of the words for a type; with `link`, the name of an object of the page."""

    text: str
    link: bool = False


def page(schema: dict[str, Any]) -> str:
    """Make the page of an OpenAPI `schema`."""
    models = schema.get("components", {}).get("schemas", {})
    return render(
        "server.html",
        title=schema["info"]["title"],
        description=schema["info"]["description"],
        operations=[
            _operation(path, method, operation)
            for path, methods in schema["paths"].items()
            for method, operation in methods.items()
        ],
        models=[_model(name, model) for name, model in models.items()],
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> dict[str, object]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return {
        "method": method.upper(),
        "path": path,
        "description": operation.get("description", ""),
        "body": list(_kind(body["schema"])) if body else [],
        "answers": [_answer(*each) for each in operation["responses"].items()],
    }


def _answer(code: str, response: dict[str, Any]) -> dict[str, object]:
    content: dict[str, Any] = next(iter(response.get("content", {}).values()), {})
    kind = list(_kind(content.get("schema", {})))
    return {"code": code, "kind": kind, "meaning": response["description"]}


def _model(name: str, model: dict[str, Any]) -> dict[str, object]:
    required = model.get("required", ())
    properties: dict[str, dict[str, Any]] | None = model.get("properties")
    fields = [
        {"name": field, "kind": list(_kind(kind)), "absent": _absent(kind, field in required)}
        for field, kind in (properties or {}).items()
    ]
    return {
        "name": name,
        "description": model.get("description", ""),
        "kind": list(_kind(model)),
        "fields": None if properties is None else fields,
    }


def _absent(kind: dict[str, Any], required: bool) -> str:
    """Say what a field is that a client leaves out."""
    if required:
        return "must be there"
    return repr(kind["default"]) if "default" in kind else "empty"


def _kind(schema: dict[str, Any]) -> Iterator[Word]:
    """Yield a schema in a few words, with links to what it is made of."""
    if "$ref" in schema:
        yield Word(schema["$ref"].rsplit("/", 1)[1], link=True)
    elif "anyOf" in schema:
        for number, choice in enumerate(schema["anyOf"]):
            yield from [Word(" or ")] if number else []
            yield from _kind(choice)
    elif "enum" in schema:
        yield Word(", ".join(map(str, schema["enum"])))
    else:
        yield Word(str(schema.get("type", "anything")))
        if schema.get("items"):
            yield Word(" of ")
            yield from _kind(schema["items"])
