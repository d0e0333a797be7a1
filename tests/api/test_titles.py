"""Titles that a model finds, over HTTP."""

import asyncio

from perdure.config.demo import offer_demo
from perdure.sim.script import GatePart, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.served_api import Person, ServedApi

FOUND = '{"title": "Found", "label": "Looked around", "summary": "Nothing."}'


async def test_a_rename_wins_over_a_title_that_was_asked_for_before(ada: Person, api: ServedApi) -> None:
    steps = (Step((GatePart("title"), Says(FOUND))), Step((Says(FOUND),)))
    async with Simulator(rate=None) as sim:
        sim.script(Script("titles", steps, model="demo", counted=True, chores=True))
        await offer_demo(api.pool, api.account.organisation, sim.url)
        api.services.config.changed(api.account.organisation)
        chat = (await ada.post("/chats", {"content": [{"type": "text", "text": "Where am I?"}]})).json["chat"]
        path = f"/chats/{chat['id']}"
        asked = asyncio.create_task(ada.post(f"{path}/title/regenerate"))
        await sim.gates["title"].reached()
        await ada.patch(path, {"title": "Mine"})
        await sim.gates["title"].set(open=True)
        assert (await asked).json["chat"]["title"] == "Mine"
        assert (await ada.get(path)).json["chat"]["title"] == "Mine"
        again = await ada.post(f"{path}/title/regenerate")
    assert again.json["chat"]["title"] == "Found"
