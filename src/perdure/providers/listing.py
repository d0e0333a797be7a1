"""Which models a provider says it serves: one request, understood in every dialect."""

import msgspec
from msgspec import Struct

from perdure.providers.client import ProviderClient
from perdure.providers.dialects.dialect import Encoded
from perdure.providers.errors.classification import ModelCallFailed, classify
from perdure.providers.errors.failures import Malformed
from perdure.providers.route import Route

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
