"""Fills a JSON schema with sensible values: what the demo model does when it must answer in a form."""

from collections.abc import Callable, Mapping

from perdure.sim.document import Json, is_object

DEPTH = 12
"""Schemas may refer to themselves; at this depth everything is empty."""

Words = Mapping[str, Callable[[], str]]
"""What to write into a field of this name."""


def fill(schema: dict[str, Json], words: Words) -> dict[str, Json]:
    """An object that fits the schema."""
    value = _value(schema, "", words, root=schema, depth=0)
    return value if is_object(value) else {}


def _value(schema: Json, name: str, words: Words, *, root: dict[str, Json], depth: int) -> Json:
    if not is_object(schema) or depth > DEPTH:
        return None
    if (chosen := _chosen(schema, root)) is not None:
        return _value(chosen, name, words, root=root, depth=depth + 1)
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    match schema.get("enum"):
        case [first, *_]:
            return first
        case _:
            return _typed(schema, name, words, root=root, depth=depth)


def _typed(schema: dict[str, Json], name: str, words: Words, *, root: dict[str, Json], depth: int) -> Json:
    match _type(schema):
        case "object":
            return _object(schema, words, root=root, depth=depth)
        case "array":
            least = schema.get("minItems")
            item = _value(schema.get("items"), name, words, root=root, depth=depth + 1)
            return [item] * (least if isinstance(least, int) else 1)
        case "string":
            return _string(schema, name, words)
        case "integer" | "number":
            least = schema.get("minimum")
            return least if isinstance(least, int | float) else 1
        case "boolean":
            return False
        case _:
            return None


def _object(schema: dict[str, Json], words: Words, *, root: dict[str, Json], depth: int) -> dict[str, Json]:
    """Fields that are required; without a word on that, all of them."""
    properties = schema.get("properties")
    if not is_object(properties):
        return {}
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else list(properties)
    return {name: _value(properties.get(name), name, words, root=root, depth=depth + 1) for name in names}


def _string(schema: dict[str, Json], name: str, words: Words) -> str:
    text = next((make() for word, make in words.items() if word in name.lower()), None)
    text = words["text"]() if text is None else text
    longest = schema.get("maxLength")
    return text[:longest] if isinstance(longest, int) else text


def _type(schema: dict[str, Json]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    return str(kind).lower()


def _chosen(schema: dict[str, Json], root: dict[str, Json]) -> Json:
    """The schema that a reference or a choice stands for."""
    match schema:
        case {"$ref": str(reference)}:
            found: Json = root
            for step in reference.removeprefix("#/").split("/"):
                found = found.get(step) if is_object(found) else None
            return found
        case {"anyOf": [*choices]} | {"oneOf": [*choices]} | {"allOf": [*choices]}:
            return next((one for one in choices if is_object(one) and one.get("type") != "null"), None)
        case _:
            return None
