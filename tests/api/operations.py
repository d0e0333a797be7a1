"""Every operation that a replica answers, as one OpenAPI document: our own API, and the protocols of others."""

from typing import Any

import msgspec

from perdure.api.errors import Problem
from perdure.api.openapi import document
from perdure.api.routing import Route
from perdure.api.server import BASE
from perdure.api.table import TABLE
from perdure.faces.ag_ui.routes import AG_UI, RunInput
from perdure.faces.ai_sdk.routes import AI_SDK, ChatBody
from perdure.faces.face import Protocol
from perdure.faces.openai.routes import OPENAI
from perdure.faces.openai.wire import CompletionBody, ConversationBody, ItemsBody, MetadataBody, ResponseBody

Json = dict[str, Any]

REF = "#/components/schemas/{name}"
BODIES = {
    "create_completion": CompletionBody,
    "create_response": ResponseBody,
    "create_conversation": ConversationBody,
    "update_conversation": MetadataBody,
    "add_conversation_items": ItemsBody,
    "say": ChatBody,
    "run_agent": RunInput,
}
BODILESS = frozenset({"upload_file", "cancel_response"})
"""What takes a form, or nothing."""
PROTOCOLS = (OPENAI, AI_SDK, AG_UI)
REFUSALS = (400, 401, 403, 404, 409, 413, 422, 429, 502, 503)
OPENAI_ERROR: Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {"message": {"type": "string", "minLength": 1}, "type": {"type": "string"}},
        }
    },
}
FORM: Json = {
    "type": "object",
    "required": ["file"],
    "properties": {"file": {"type": "string", "format": "binary"}, "purpose": {"type": "string"}},
}


def everything() -> Json:
    """Our own document, with whole paths, and what the tables and structs of other protocols say."""
    ours = document(TABLE, "0")
    paths: Json = {f"{BASE}{path}": operations for path, operations in ours["paths"].items()}
    schemas, components = msgspec.json.schema_components([*BODIES.values(), Problem], ref_template=REF)
    bodies = dict(zip(BODIES, schemas, strict=False))
    for protocol in PROTOCOLS:
        for route in protocol.table.routes:
            operations = paths.setdefault(f"{protocol.base}{route.path}", {})
            operations[route.method.lower()] = _operation(protocol, route, bodies)
    known = {**components, **ours["components"]["schemas"]}
    return {**ours, "servers": [{"url": "/"}], "paths": paths, "components": {**ours["components"], "schemas": known}}


def _operation(protocol: Protocol, route: Route, bodies: Json) -> Json:
    error = OPENAI_ERROR if protocol is OPENAI else {"$ref": REF.format(name="Problem")}
    refused = {"description": "Refused.", "content": {"application/json": {"schema": error}}}
    operation: Json = {
        "operationId": f"{protocol.base.strip('/')}_{route.handler.__name__}",
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
            for name in route.parameters
        ],
        "responses": {
            # The client says whether an answer is streamed; a file is of any type.
            "200": {"description": "Done.", "content": {"*/*": {}}},
            "204": {"description": "Nothing is being answered."},
            **{str(status): refused for status in REFUSALS},
        },
    }
    if route.handler.__name__ in bodies:
        content = {"application/json": {"schema": bodies[route.handler.__name__]}}
        operation["requestBody"] = {"required": True, "content": content}
    elif route.handler.__name__ == "upload_file":
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}
    return operation
