"""The same models at Azure, Vertex and Bedrock: paths, keys, versions and framing."""

import anthropic as sdk
import msgspec
import pytest
from anthropic.lib.bedrock import AsyncAnthropicBedrock
from anthropic.types import MessageParam
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from openai import AsyncAzureOpenAI
from tests.sim.rejection import Body, post

from perdure.sim.document import Json
from perdure.sim.server import Simulator

VERTEX = "/v1/projects/p/locations/global/publishers"
HELLO: Body = {"role": "user", "content": "[[say:here]]"}


def says(text: str) -> list[MessageParam]:
    return [{"role": "user", "content": text}]


async def test_azure_takes_the_deployment_for_the_model(sim: Simulator) -> None:
    async with AsyncAzureOpenAI(
        azure_endpoint=sim.url, api_key="key", api_version="2024-10-21", max_retries=0
    ) as client:
        completion = await client.chat.completions.create(
            model="my-deployment", messages=[{"role": "user", "content": "[[say:here]]"}]
        )
    assert completion.choices[0].message.content == "here"
    assert (sim.requests[0].wire, sim.requests[0].model) == ("azure_chat", "my-deployment")


async def test_bedrock_streams_in_amazons_frames(sim: Simulator) -> None:
    async with (
        AsyncAnthropicBedrock(base_url=sim.url, api_key="key", aws_region="us-east-1", max_retries=0) as client,
        client.messages.stream(model="anthropic.m-v1:0", max_tokens=500, messages=says("[[say:20 tokens]]")) as stream,
    ):
        message = await stream.get_final_message()
    assert message.usage.output_tokens == 20
    assert (sim.requests[0].wire, sim.requests[0].model) == ("bedrock", "anthropic.m-v1:0")


def signed(url: str, body: Body, key_id: str) -> dict[str, str]:
    request = AWSRequest("POST", url, data=msgspec.json.encode(body))
    SigV4Auth(Credentials(key_id, "secret"), "bedrock", "us-east-1").add_auth(request)  # pyright: ignore[reportUnknownMemberType]
    return dict(request.headers.items())


@pytest.mark.parametrize(("key_id", "expected"), [("AKID", 200), ("bad-1", 403)])
async def test_bedrock_knows_who_signed(sim: Simulator, key_id: str, expected: int) -> None:
    url = f"{sim.url}/model/m/invoke"
    body: Body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": [HELLO]}
    status, _ = await post(url, body, signed(url, body, key_id))
    assert status == expected


async def test_bedrock_fails_inside_a_stream(sim: Simulator) -> None:
    async with AsyncAnthropicBedrock(base_url=sim.url, api_key="key", aws_region="us-east-1", max_retries=0) as client:
        prompt = says("[[say:20 tokens]][[fault:stream_rate_limit]]")
        with pytest.raises(sdk.APIError) as caught:
            async with client.messages.stream(model="m", max_tokens=500, messages=prompt) as stream:
                await stream.get_final_message()
    assert "throttlingException" in str(caught.value)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "anthropic_version: Field required"),
        ({"anthropic_version": "bedrock-2023-05-31", "model": "m"}, "extraneous key [model] is not permitted"),
        ({"anthropic_version": "bedrock-2023-05-31", "stream": True}, "extraneous key [stream] is not permitted"),
        (
            {
                "anthropic_version": "bedrock-2023-05-31",
                "tools": [{"type": "web_search_20250305", "name": "web_search"}],
            },
            "tools.0: Input tag 'web_search_20250305' found",
        ),
    ],
    ids=["no version", "a model", "a stream", "a search"],
)
async def test_bedrock_refuses(sim: Simulator, more: Body, says: str) -> None:
    body: Body = {"max_tokens": 5, "messages": [HELLO], **more}
    status, answer = await post(f"{sim.url}/model/m/invoke", body, {"authorization": "Bearer key"})
    assert status == 400
    assert says in str(answer["message"])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            f"{VERTEX}/anthropic/models/m:rawPredict",
            {"anthropic_version": "vertex-2023-10-16", "max_tokens": 5, "messages": [HELLO]},
        ),
        (
            f"{VERTEX}/google/models/m:generateContent",
            {"contents": [{"role": "user", "parts": [{"text": "[[say:here]]"}]}]},
        ),
    ],
    ids=["anthropic", "google"],
)
async def test_vertex_wants_a_token(sim: Simulator, path: str, body: dict[str, Json]) -> None:
    status, answer = await post(sim.url + path, body, {"authorization": "Bearer token"})
    assert status == 200
    assert "here" in str(answer)
    status, answer = await post(sim.url + path, body, {})
    assert status == 401
    assert "UNAUTHENTICATED" in str(answer)


async def test_bedrock_lets_those_in_who_ask_in_the_body(sim: Simulator) -> None:
    bound: Json = {"type": "adaptive", "block_binding": {}}
    body: Body = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 5,
        "messages": [HELLO],
        "thinking": bound,
    }
    url, beta = f"{sim.url}/model/m/invoke", "thinking-binding-controls-2026-08-01"
    key = {"authorization": "Bearer key"}
    in_header, _ = await post(url, body, {**key, "anthropic-beta": beta})
    in_body, _ = await post(url, {**body, "anthropic_beta": [beta]}, key)
    assert (in_header, in_body) == (400, 200)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"toolConfig": {"includeServerSideToolInvocations": True}}, "includeServerSideToolInvocations"),
        ({"contents": [{"role": "user", "parts": [{"toolCall": {"id": "1"}}]}]}, "toolCall"),
    ],
    ids=["a search beside tools", "a search's own parts"],
)
async def test_vertex_does_not_know(sim: Simulator, more: dict[str, Json], says: str) -> None:
    body: dict[str, Json] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], **more}
    url = f"{sim.url}{VERTEX}/google/models/m:generateContent"
    status, answer = await post(url, body, {"authorization": "Bearer token"})
    assert (status, says in str(answer)) == (400, True)


async def test_vertex_wants_the_version_in_the_body(sim: Simulator) -> None:
    path = f"{sim.url}{VERTEX}/anthropic/models/m:streamRawPredict"
    status, _ = await post(path, {"max_tokens": 5, "messages": [HELLO]}, {"authorization": "Bearer token"})
    assert status == 400
