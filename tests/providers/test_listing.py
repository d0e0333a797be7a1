"""Lists of models: read in every dialect, and what is said where there is none."""

import pytest
from tests.providers.routes import MODELS, NAMES, SERVICES, route
from tests.providers.servers import Canned, answer

from perdure.core.errors import ProviderFailure
from perdure.providers.catalog import listed
from perdure.providers.client import ProviderClient
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings
from perdure.sim.routes import NAMES as SERVED
from perdure.sim.server import Simulator


@pytest.mark.parametrize("dialect", NAMES)
async def test_a_provider_says_which_models_it_serves(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    assert await listed(client, route(sim, dialect)) == SERVED


@pytest.mark.parametrize("body", [b"<html>hello</html>", b'{"data": 3}'])
async def test_what_is_no_list_is_said_to_be_another_api(client: ProviderClient, body: bytes) -> None:
    async with Canned(answer(body, content_type="text/html")) as server:
        settings = ProviderSettings(service=SERVICES["openai_chat"], base_url=server.url)
        way = Route.to(settings, MODELS["openai_chat"], None)
        with pytest.raises(ProviderFailure, match="is not its API"):
            await listed(client, way)
