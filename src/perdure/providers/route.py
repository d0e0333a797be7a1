"""A route: which dialect, at which endpoint, on whose credentials, for which model. Resolved once per turn."""

from dataclasses import dataclass

from perdure.providers.credentials import Credentials
from perdure.providers.dialects.dialect import Dialect, Encoded
from perdure.providers.endpoint import Endpoint
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    provider: str
    """The name people know it by, as messages say it: "Anthropic"."""
    dialect: Dialect
    endpoint: Endpoint
    credentials: Credentials
    model: Model

    def encode(self, request: ModelRequest) -> Encoded:
        return self.dialect.encode(request, self.model, self.endpoint.quirks)
