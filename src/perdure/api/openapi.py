"""The OpenAPI document, made from the table of routes and the structs that travel."""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any
from uuid import UUID

import msgspec

from perdure.api.errors import Problem
from perdure.api.examples import EXAMPLES
from perdure.api.routing import Route, Table
from perdure.core.events import AnyEvent

Json = dict[str, Any]

_REF = "#/components/schemas/{name}"
# Two words of ours are called the same; clients get names that say which is meant.
_NAMES = {"perdure.access.actor.Role": "PersonRole", "perdure.core.message.Role": "MessageRole"}
_PRIVATE = ("provider_metadata", "provider_response_id", "system_mark", "covers", "visibility")


def document(table: Table, version: str, *events: Any) -> Json:
    """The whole document. `events` are further types that only streams send."""
    text = msgspec.json.encode(_document(table, version, *events)).decode()
    for name, shown in _NAMES.items():
        text = text.replace(f'/{name}"', f'/{shown}"').replace(f'"{name}":', f'"{shown}":')
    return msgspec.json.decode(text)


def _document(table: Table, version: str, *events: Any) -> Json:
    kinds = [kind for route in table.routes for kind in _kinds(route)]
    streamed = [AnyEvent, *events]
    schemas, components = msgspec.json.schema_components([*kinds, Problem, *streamed], ref_template=_REF)
    known = dict(zip(kinds, schemas, strict=False))
    components["Event"] = schemas[len(kinds) + 1]
    for schema in components.values():
        for name in _PRIVATE:
            schema.get("properties", {}).pop(name, None)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Perdure", "version": version, "description": "Agent chats that survive everything."},
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}, {"session": []}],
        "paths": _paths(table, known),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "perdure_session"},
            },
        },
    }


def _kinds(route: Route) -> Iterator[Any]:
    for name in ("body", "query"):
        if name in route.wants:
            yield route.wants[name]
    if route.answers not in (None, type(None)) and not route.raw:
        yield route.answers


def _paths(table: Table, known: dict[Any, Json]) -> Json:
    paths: Json = {}
    for route in table.routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, known)
    return paths


def _operation(route: Route, known: dict[Any, Json]) -> Json:
    operation: Json = {
        "operationId": route.handler.__name__,
        "tags": [route.tag],
        "summary": (getdoc(route.handler) or "").split("\n")[0],
        "parameters": [*_path_parameters(route), *_query_parameters(route), *_header_parameters(route)],
        "responses": _responses(route, known),
    }
    if "body" in route.wants:
        content: Json = {"schema": known[route.wants["body"]]}
        if (example := EXAMPLES.get(route.handler.__name__)) is not None:
            content["example"] = example
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    elif "content" in route.wants:
        binary = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": binary}}
    elif route.reads_itself:
        anything: Json = {"schema": {}, "example": EXAMPLES[route.handler.__name__]}
        operation["requestBody"] = {"required": True, "content": {"application/json": anything}}
    if route.public:
        operation["security"] = []
    return operation


def _path_parameters(route: Route) -> Iterator[Json]:
    for name in route.parameters:
        kind = route.wants[name]
        kind = getattr(kind, "__supertype__", kind)
        schema: Json = {"type": "string"}
        if kind is UUID:
            schema["format"] = "uuid"
        elif kind is int:
            schema = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameters(route: Route) -> Iterator[Json]:
    if "query" not in route.wants:
        return
    kind = route.wants["query"]
    _, components = msgspec.json.schema_components([kind], ref_template=_REF)
    schema = components[kind.__name__]
    for name, field in schema["properties"].items():
        yield {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": field}


def _header_parameters(route: Route) -> Iterator[Json]:
    if not route.reads and not route.public:
        schema = {"type": "string", "minLength": 1, "maxLength": 255}
        yield {"name": "Idempotency-Key", "in": "header", "required": False, "schema": schema}


def _responses(route: Route, known: dict[Any, Json]) -> Json:
    success: Json = {"description": "Done."}
    if route.raw:
        success["content"] = {media_type: {} for media_type in route.raw}
    elif route.answers not in (None, type(None)):
        success["content"] = {"application/json": {"schema": known[route.answers]}}
    page: Json = {"text/html": {}} if route.visited else {}
    problem = {"content": {"application/json": {"schema": {"$ref": _REF.format(name="Problem")}}, **page}}
    failures = {str(status): {"description": _MEANINGS[status], **problem} for status in sorted(_statuses(route))}
    return {str(route.status): success, **failures}


_MEANINGS = {
    400: "The request is not valid; the validations name the fields.",
    401: "Nobody knows who asks.",
    403: "The caller may not do this.",
    404: "Not found, or not visible to the caller.",
    405: "The address does not take this method.",
    409: "The state of things does not allow this now.",
    413: "The body is too large.",
    422: "The Idempotency-Key was used for another request.",
    429: "Too much or too often. Retry-After says when to come back.",
    502: "A model's API failed.",
    503: "Something we depend on is away. Try again.",
}


def _statuses(route: Route) -> set[int]:
    statuses = {400, 401, 404, 405, 413, 503}
    if not route.public or not route.reads:
        statuses |= {403}
    if route.public or not route.reads:
        statuses |= {429}
    if not route.reads:
        statuses |= {409, 422, 502}
    if route.tag == "workspaces":
        statuses |= {409}
    return statuses
