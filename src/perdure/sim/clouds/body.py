"""Requests whose model stands in the path: how they become the request that the wire format knows."""

import re
from dataclasses import replace

import msgspec

from perdure.sim.document import Json, Problem, is_object
from perdure.sim.wire import Request


def opened(request: Request) -> dict[str, Json]:
    """The body as an object; what is not one is left for the wire format to refuse."""
    try:
        body: Json = msgspec.json.decode(request.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return body if is_object(body) else {}


def closed(request: Request, body: dict[str, Json]) -> Request:
    """The request with another body; one that could not be read stays as it was."""
    return replace(request, body=msgspec.json.encode(body)) if body else request


def take_version(body: dict[str, Json], house: str, problem: Problem) -> None:
    """Check and remove the version that stands in the body instead of a header; it may name the house."""
    if body and not re.fullmatch(rf"({house}-)?\d{{4}}-\d\d-\d\d", str(body.pop("anthropic_version", None))):
        raise problem
