"""A route: which dialect, at which endpoint, on whose credentials, for which model. Resolved once per turn."""

from dataclasses import dataclass

from msgspec import structs

from perdure.providers.credentials import Credentials
from perdure.providers.dialects.dialect import Dialect, Encoded
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.model import Model
from perdure.providers.request import CHAIN, Continuation, ModelRequest
from perdure.providers.service import Endpoint, ProviderSettings, credentials, endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    provider: str
    """The name people know it by, as messages say it: "Anthropic"."""
    dialect: Dialect
    endpoint: Endpoint
    credentials: Credentials
    model: Model

    @classmethod
    def to(cls, provider: ProviderSettings, model: Model, secret: str | None) -> "Route":
        """The route to a model of a provider. Raises Misconfigured or KeyMissing where there is none."""
        return cls(
            provider=provider.display_name,
            dialect=dialect_named(model.dialect),
            endpoint=endpoint(provider, model.dialect),
            credentials=credentials(provider, model.dialect, secret),
            model=model,
        )

    def encode(self, request: ModelRequest) -> Encoded:
        return self.dialect.encode(request, self.model, self.endpoint.quirks)

    def encode_whole(self, request: ModelRequest) -> Encoded:
        """The request again, without relying on what the provider remembers."""
        settings = request.settings.without(CHAIN)
        return self.encode(structs.replace(request, settings=settings, continuation=Continuation(store=True)))
