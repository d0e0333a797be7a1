"""The models we know without being told, and those that a provider says it serves."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from perdure.providers.client import ProviderClient
from perdure.providers.dialects.dialect import Encoded
from perdure.providers.errors.classification import ModelCallFailed, classify
from perdure.providers.errors.failures import Malformed
from perdure.providers.model import Model
from perdure.providers.route import Route

_VERSION = re.compile(r"(?:[-@]\d{4}-?\d{2}-?\d{2})?(?:-v\d+(?::\d+)?)?$")


class _Catalog(Struct):
    models: dict[str, dict[str, Any]]


class Catalog:
    """Models by their name on the wire."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models = models

    @classmethod
    @cache
    def load(cls) -> "Catalog":
        """The catalog that ships with the product, read once."""
        text = files("perdure.providers").joinpath("catalog.toml").read_bytes()
        entries = msgspec.toml.decode(text, type=_Catalog).models
        return cls({name: msgspec.convert({"id": name, **entry}, Model) for name, entry in entries.items()})

    def __iter__(self):
        return iter(self._models.values())

    def find(self, name: str) -> Model | None:
        """A model by its name, also with a date, or as Bedrock, Vertex and OpenRouter spell it."""
        bare = _bare(name)
        known = self._models.get(name) or self._models.get(bare) or self._models.get(bare.replace(".", "-"))
        return None if known is None else msgspec.structs.replace(known, id=name)

    def model(self, name: str, dialect: str) -> Model:
        """The model as known, or as far as its dialect tells."""
        found = self.find(name)
        if found is None:
            return Model(id=name, dialect=dialect)
        return msgspec.structs.replace(found, dialect=dialect)


def _bare(name: str) -> str:
    bare = name.rsplit("/", 1)[-1]
    bare = re.sub(r"^(?:[a-z]{2,6}\.)?anthropic\.", "", bare)
    return _VERSION.sub("", bare, count=1)


_JSON = {"accept": "application/json"}


class _Named(Struct):
    id: str = ""
    name: str = ""
    """Google's: `models/gemini-pro`."""


class _List(Struct):
    data: tuple[_Named, ...] | None = None
    models: tuple[_Named, ...] | None = None


async def listed(client: ProviderClient, route: Route) -> tuple[str, ...]:
    """The names of the models at the route's endpoint, in the provider's order. Raises a ProviderFailure."""
    asked = route.dialect.models
    body = await client.fetch(route, Encoded(asked.path, {**_JSON, **asked.headers}, None, ()))
    try:
        found = msgspec.json.decode(body, type=_List)
    except msgspec.MsgspecError as error:
        raise ModelCallFailed(classify(Malformed("no list of models"), route.provider)) from error
    named = found.data if found.data is not None else found.models or ()
    return tuple(entry.id or entry.name.removeprefix("models/") for entry in named)
