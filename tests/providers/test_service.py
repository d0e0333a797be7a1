"""Where each service is found and how a key is shown to it."""

from typing import Any

import msgspec
import pytest
from tests.providers.routes import user

from perdure.core.errors import Misconfigured
from perdure.providers.clouds import AwsCredentials, GoogleCredentials
from perdure.providers.credentials import ApiKey, Key, NoKey, Outgoing, choose_key, key_for
from perdure.providers.errors.failures import KeyMissing
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import Framing, ProviderSettings, Service

ASK = ModelRequest(messages=[user("hi")], cache_key="chat")
SECRET = "k"
VERTEX = "https://{host}.googleapis.com/v1/projects/p/locations/{region}/publishers/{model}"
BEDROCK_MODEL = "anthropic.claude-v1:0"


def to(dialect: str, model: str = "m", secret: str | None = SECRET, **settings: Any) -> Route:
    return Route.to(ProviderSettings(**settings), Model(id=model, dialect=dialect), secret)


def url(route: Route) -> str:
    return route.endpoint.url(route.encode(ASK).path)


def body(route: Route) -> dict[str, Any]:
    return msgspec.json.decode(route.encode(ASK).body or b"", type=dict[str, Any])


@pytest.mark.parametrize(
    ("route", "address"),
    [
        (to("anthropic_messages", service=Service.ANTHROPIC), "https://api.anthropic.com/v1/messages"),
        (to("openai_responses", service=Service.OPENAI), "https://api.openai.com/v1/responses"),
        (to("openai_chat", service=Service.OPENAI), "https://api.openai.com/v1/chat/completions"),
        (
            to("gemini", service=Service.GOOGLE),
            "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
        (
            to("openai_chat", service=Service.COMPATIBLE, base_url="https://openrouter.ai/api/v1/"),
            "https://openrouter.ai/api/v1/chat/completions",
        ),
        (
            to("openai_responses", service=Service.AZURE, base_url="https://acme.openai.azure.com/"),
            "https://acme.openai.azure.com/openai/v1/responses",
        ),
        (
            to("openai_chat", "gpt", service=Service.AZURE, base_url="https://a.test/openai", api_version="2024-10-21"),
            "https://a.test/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
        ),
        (
            to("anthropic_messages", BEDROCK_MODEL, service=Service.BEDROCK, region="eu-west-1"),
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-v1%3A0/invoke-with-response-stream",
        ),
        (
            to("anthropic_messages", "claude@1", service=Service.VERTEX, project="p", region="eu"),
            VERTEX.format(host="aiplatform.eu.rep", region="eu", model="anthropic/models/claude%401:streamRawPredict"),
        ),
        (
            to("gemini", service=Service.VERTEX, project="p", region="europe-west4"),
            VERTEX.format(
                host="europe-west4-aiplatform",
                region="europe-west4",
                model="google/models/m:streamGenerateContent?alt=sse",
            ),
        ),
        (
            to("gemini", service=Service.VERTEX, project="p"),
            VERTEX.format(host="aiplatform", region="global", model="google/models/m:streamGenerateContent?alt=sse"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_service_has_its_address(route: Route, address: str) -> None:
    assert url(route) == address


def test_bedrock_and_vertex_name_the_model_in_the_address_only() -> None:
    bedrock = to("anthropic_messages", service=Service.BEDROCK, region="us-east-1")
    assert bedrock.endpoint.framing is Framing.AWS_EVENT_STREAM
    assert body(bedrock)["anthropic_version"] == "bedrock-2023-05-31"
    assert not {"model", "stream"} & set(body(bedrock))
    vertex = to("anthropic_messages", service=Service.VERTEX, project="p")
    assert body(vertex)["anthropic_version"] == "vertex-2023-10-16"
    assert "model" not in body(vertex)


def test_a_compatible_server_gets_only_what_all_of_them_know() -> None:
    compatible = body(to("openai_chat", service=Service.COMPATIBLE, base_url="http://localhost:11434"))
    assert "prompt_cache_key" not in compatible
    assert compatible["max_tokens"] == 32_000
    azure = body(to("openai_chat", service=Service.AZURE, base_url="http://x", api_version="2024-10-21"))
    assert "prompt_cache_key" not in azure
    openai = body(to("openai_chat", service=Service.OPENAI))
    assert (openai["prompt_cache_key"], openai["max_completion_tokens"]) == ("chat", 32_000)


def test_fields_of_a_provider_are_in_every_request() -> None:
    route = to("openai_chat", service=Service.COMPATIBLE, base_url="http://x", body={"provider": {"sort": "price"}})
    assert body(route)["provider"] == {"sort": "price"}


@pytest.mark.parametrize(
    ("route", "credentials"),
    [
        (to("anthropic_messages", service=Service.ANTHROPIC), ApiKey(SECRET, "x-api-key", "")),
        (to("openai_chat", service=Service.OPENAI), ApiKey(SECRET)),
        (to("gemini", service=Service.GOOGLE), ApiKey(SECRET, "x-goog-api-key", "")),
        (to("openai_chat", service=Service.AZURE, base_url="http://x"), ApiKey(SECRET, "api-key", "")),
        (to("openai_chat", secret=None, service=Service.COMPATIBLE, base_url="http://x"), NoKey()),
        (to("anthropic_messages", secret="token", service=Service.BEDROCK, region="r"), ApiKey("token")),
        (to("anthropic_messages", secret="a:b", service=Service.BEDROCK, region="r"), AwsCredentials("r", "a", "b")),
        (
            to("anthropic_messages", secret="a:b:c", service=Service.BEDROCK, region="r"),
            AwsCredentials("r", "a", "b", "c"),
        ),
    ],
)
def test_every_service_is_shown_its_key_its_way(route: Route, credentials: object) -> None:
    assert route.credentials == credentials


@pytest.mark.parametrize(
    "credentials",
    [ApiKey("canary"), Key("1", "canary"), AwsCredentials("r", "id", "canary", "canary"), GoogleCredentials("canary")],
)
def test_no_credentials_show_their_secret(credentials: object) -> None:
    assert "canary" not in f"{credentials!r} {credentials}"


@pytest.mark.parametrize(
    "settings",
    [{"service": Service.COMPATIBLE}, {"service": Service.BEDROCK}, {"service": Service.VERTEX}],
)
def test_what_is_missing_is_named(settings: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured, match=r"needs a (base url|region|project)"):
        to("anthropic_messages", **settings)


async def test_amazons_signature_covers_address_and_body() -> None:
    credentials = AwsCredentials("us-east-1", "AKIDEXAMPLE", "secret")
    address = "https://bedrock-runtime.us-east-1.amazonaws.com/model/x%3A0/invoke-with-response-stream"
    signed = await credentials.authorize(Outgoing("POST", address, {"content-type": "application/json"}, b"{}"))
    other = await credentials.authorize(Outgoing("POST", address, {"content-type": "application/json"}, b"{ }"))
    assert signed["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date" in signed["Authorization"]
    assert signed["Authorization"] != other["Authorization"]


def test_a_chat_stays_with_a_key_and_chats_spread() -> None:
    keys = [Key(str(number), "secret") for number in range(4)]
    chosen = [choose_key(keys, f"chat-{number}").id for number in range(200)]
    assert chosen == [choose_key(list(reversed(keys)), f"chat-{number}").id for number in range(200)]
    assert all(30 <= chosen.count(key.id) <= 75 for key in keys)


def test_ones_own_key_comes_first_and_a_spent_one_not_at_all() -> None:
    shared, own = Key("1", "secret"), Key("2", "secret", personal=True)
    assert choose_key([shared, own], "chat") is own
    assert choose_key([shared, own], "chat", spent=frozenset({"2"})) is shared
    with pytest.raises(KeyMissing):
        choose_key([shared, Key("3", " ")], "chat", spent=frozenset({"1"}))


def test_a_secret_may_hold_several_keys() -> None:
    both = {key_for("sk-1\n  sk-2 \n\n", f"chat-{number}") for number in range(20)}
    assert both == {"sk-1", "sk-2"}
    assert key_for("sk-1\nsk-2", "chat-1") == key_for("sk-2\nsk-1", "chat-1")
    assert key_for(" sk-1\n", "chat") == "sk-1"
    account = '{\n  "type": "service_account"\n}'
    assert key_for(account, "chat") == account
    assert key_for(None, "chat") is None


def test_one_account_with_google_is_one_token() -> None:
    first, second = (to("gemini", secret="{}", service=Service.VERTEX, project="p").credentials for _ in range(2))
    assert first is second
