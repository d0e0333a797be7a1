"""Two replicas that hear of each other over NATS."""

from pathlib import Path

from perdure.core.timing import CONFIG_CACHED
from perdure.store.pool import Pool
from perdure.testing.nats import nats_server
from perdure.testing.polling import seen
from perdure.testing.town import replicas


async def test_replicas_hear_each_other_over_nats_and_go_on_without_it(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with (
        nats_server() as server,
        replicas(database_url, pool, tmp_path, environment={"PERDURE_NATS_URL": server.url}) as town,
    ):
        listening = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'"
        assert await pool.fetchval(listening) == 0
        await town.ready()
        assert (await town.at(1).get("/settings")).json["system_prompt"] == ""
        await town.at(0).put("/settings/system_prompt", {"value": "Be brief."})

        async def told() -> str:
            return (await town.at(1).get("/settings")).json["system_prompt"]

        # The other replica keeps settings for as long unless it hears that they changed.
        assert await seen(told, within=CONFIG_CACHED * 0.8) == "Be brief."
        await server.dies()
        chat_id = await town.asks(0, "[[say:still here]]")
        await town.comes_to_rest(1, chat_id)
        assert (await town.said(1, chat_id))[-1] == "still here"
