"""The client against the simulator, over real sockets."""

from perdure.core.message import FinishReason, NewMessage, Role
from perdure.core.parts import Text
from perdure.providers.client import ProviderClient
from perdure.providers.credentials import ApiKey
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.endpoint import Endpoint
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.sim.server import Simulator

KEY = "sk-canary-0123456789"


async def test_an_answer_streams_from_the_simulator(sim: Simulator, client: ProviderClient) -> None:
    route = Route(
        provider="Anthropic",
        dialect=dialect_named("anthropic_messages"),
        endpoint=Endpoint(sim.url),
        credentials=ApiKey(KEY, header="x-api-key", prefix=""),
        model=Model(id="claude-sonnet-4-5", dialect="anthropic_messages"),
    )
    said = NewMessage(role=Role.USER, parts=(Text("[[say:hello there]]"),))
    completion = await client.complete(route, ModelRequest(messages=[said]))
    assert completion.parts == (Text("hello there"),)
    assert completion.finish.reason is FinishReason.STOP
