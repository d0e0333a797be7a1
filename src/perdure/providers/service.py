"""The services that we know: where each is served, which dialects it speaks, and how a key is presented."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult

from msgspec import Struct

from perdure.core.addresses import reachable
from perdure.core.errors import Misconfigured
from perdure.providers.clouds import AwsCredentials, GoogleCredentials
from perdure.providers.credentials import ApiKey, Credentials, NoKey
from perdure.providers.dialects.dialect import PLAIN, Dialect, Quirks
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.errors.failures import KeyMissing


class Framing(StrEnum):
    """How events are laid out in the body of a response."""

    SSE = "sse"
    AWS_EVENT_STREAM = "aws_event_stream"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL without its trailing slash, and how it differs from the dialect's textbook."""

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    query: str = ""
    quirks: Quirks = PLAIN
    framing: Framing = Framing.SSE

    def url(self, path: str) -> str:
        whole = f"{self.base_url}{path}"
        if not self.query:
            return whole
        return f"{whole}{'&' if '?' in path else '?'}{self.query}"


def split_address(typed: str) -> SplitResult:
    """The parts of a URL that an admin typed. Raises Misconfigured where no request could be sent to it."""
    url = reachable(typed.strip())
    if url is None or url.query or url.fragment:
        raise Misconfigured(f"{typed!r} is not a base URL. It must look like https://api.example.com.")
    return url


def base_url(typed: str, dialect: Dialect) -> str:
    """The URL an admin typed, as the dialect needs it: with or without a version, with or without a slash."""
    url = split_address(typed)
    path = url.path.rstrip("/")
    for ending in dialect.endings:
        path = path.removesuffix(ending)
    return f"{url.scheme}://{url.netloc}{path or dialect.version}"


class Service(StrEnum):
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GOOGLE = "google"
    AZURE = "azure"
    BEDROCK = "bedrock"
    VERTEX = "vertex"
    COMPATIBLE = "compatible"
    """Anything else that speaks one of the dialects: OpenRouter, Ollama, vLLM, LM Studio, …"""


NAMES = {
    Service.ANTHROPIC: "Anthropic",
    Service.OPENAI: "OpenAI",
    Service.GOOGLE: "Google",
    Service.AZURE: "Azure OpenAI",
    Service.BEDROCK: "Amazon Bedrock",
    Service.VERTEX: "Vertex AI",
    Service.COMPATIBLE: "The provider",
}

ADDRESSES = {
    Service.ANTHROPIC: "https://api.anthropic.com",
    Service.OPENAI: "https://api.openai.com",
    Service.GOOGLE: "https://generativelanguage.googleapis.com",
}

COMPATIBLE = Quirks(without=frozenset({"prompt_cache_key"}), max_tokens_field="max_tokens")

MULTI_REGIONS = frozenset({"us", "eu"})
"""Vertex serves these from hosts of their own."""


class ProviderSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A provider as an admin sets it up. Secrets are kept elsewhere."""

    service: Service
    name: str = ""
    base_url: str | None = None
    headers: dict[str, str] = {}
    query: str = ""
    """What every address of it ends with."""
    region: str | None = None
    """Where Bedrock or Vertex runs the model."""
    project: str | None = None
    api_version: str | None = None
    """Azure's dated API, for resources without the newer one."""
    replays_reasoning: bool = False
    body: dict[str, Any] = {}
    """Fields that every request to it carries."""

    @property
    def display_name(self) -> str:
        return self.name or NAMES[self.service]


def endpoint(provider: ProviderSettings, name: str) -> Endpoint:
    """Where a provider serves the dialect of this name."""
    dialect = dialect_named(name)
    if provider.base_url:
        split_address(provider.base_url)
    match provider.service:
        case Service.BEDROCK:
            address = provider.base_url or f"https://bedrock-runtime.{_required(provider, 'region')}.amazonaws.com"
            return _at(provider, address.rstrip("/"), _served(provider, dialect), framing=Framing.AWS_EVENT_STREAM)
        case Service.VERTEX:
            return _vertex(provider, dialect)
        case Service.AZURE:
            return _azure(provider, dialect)
        case Service.COMPATIBLE:
            quirks = replace(COMPATIBLE, replays_reasoning=provider.replays_reasoning)
            return _at(provider, base_url(_required(provider, "base_url"), dialect), quirks)
        case service:
            return _at(provider, base_url(provider.base_url or ADDRESSES[service], dialect), PLAIN)


def credentials(provider: ProviderSettings, name: str, secret: str | None) -> Credentials:
    """How requests in the dialect of this name are authorized with a secret."""
    match provider.service:
        case Service.BEDROCK:
            return _aws(provider, secret)
        case Service.VERTEX:
            return _google(secret or None)
        case Service.AZURE if secret:
            return ApiKey(secret, header="api-key", prefix="")
        case Service.COMPATIBLE if not secret:
            return NoKey()
        case _ if secret:
            key = dialect_named(name).key
            return ApiKey(secret, header=key.name, prefix=key.prefix)
        case _:
            raise KeyMissing("there is no key for this provider")


@lru_cache(maxsize=64)
def _google(secret: str | None) -> GoogleCredentials:
    """The same object for the same account: it holds a token that is good for an hour."""
    return GoogleCredentials(secret)


def _aws(provider: ProviderSettings, secret: str | None) -> Credentials:
    """`id:secret[:token]` is a pair of keys, anything else a Bedrock API key, and nothing the machine's own."""
    region = provider.region or "us-east-1"
    if not secret:
        return AwsCredentials(region)
    match secret.split(":", 2):
        case [access_key_id, secret_access_key]:
            return AwsCredentials(region, access_key_id, secret_access_key)
        case [access_key_id, secret_access_key, token]:
            return AwsCredentials(region, access_key_id, secret_access_key, token)
        case _:
            return ApiKey(secret)


def _served(provider: ProviderSettings, dialect: Dialect) -> Quirks:
    """How a cloud serves a dialect. Raises Misconfigured where it does not."""
    try:
        return dialect.served[provider.service]
    except KeyError:
        raise Misconfigured(f"{NAMES[provider.service]} does not serve {dialect.name}.") from None


def _vertex(provider: ProviderSettings, dialect: Dialect) -> Endpoint:
    region, project = provider.region or "global", _required(provider, "project")
    address = (provider.base_url or f"https://{_vertex_host(region)}").rstrip("/")
    quirks = _served(provider, dialect)
    path = f"/v1/projects/{project}/locations/{region}{quirks.path}"
    return _at(provider, address, replace(quirks, path=path))


def _vertex_host(region: str) -> str:
    if region in MULTI_REGIONS:
        return f"aiplatform.{region}.rep.googleapis.com"
    return "aiplatform.googleapis.com" if region == "global" else f"{region}-aiplatform.googleapis.com"


def _azure(provider: ProviderSettings, dialect: Dialect) -> Endpoint:
    address = _required(provider, "base_url").rstrip("/")
    address = address.removesuffix("/openai/v1").removesuffix("/openai")
    quirks = _served(provider, dialect)
    if provider.api_version is None:
        return _at(provider, f"{address}/openai/v1", PLAIN)
    dated = replace(quirks, without=frozenset({"prompt_cache_key"}))
    return _at(provider, f"{address}/openai", dated, query=f"api-version={provider.api_version}")


def _at(
    provider: ProviderSettings,
    address: str,
    quirks: Quirks,
    *,
    query: str = "",
    framing: Framing = Framing.SSE,
) -> Endpoint:
    joined = replace(quirks, body={**quirks.body, **provider.body})
    asked = "&".join(part for part in (query, provider.query.lstrip("?&")) if part)
    return Endpoint(address, provider.headers, asked, joined, framing)


def _required(provider: ProviderSettings, field: str) -> str:
    value: str | None = getattr(provider, field)
    if not value:
        raise Misconfigured(f"{provider.display_name} needs a {field.replace('_', ' ')}.")
    return value
