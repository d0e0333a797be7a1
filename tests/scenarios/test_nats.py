"""Two replicas that hear of each other over NATS."""

from pathlib import Path

from perdure.core.timing import CONFIG_CACHED
from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet
from perdure.testing.nats import nats_server
from perdure.testing.polling import seen


async def test_replicas_hear_each_other_over_nats_and_go_on_without_it(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with (
        nats_server() as server,
        open_fleet(database_url, pool, tmp_path, environment={"PERDURE_NATS_URL": server.url}) as fleet,
    ):
        listening = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'"
        assert await pool.fetchval(listening) == 0
        await fleet.ready()
        assert (await fleet.at(1).get("/settings")).json["system_prompt"] == ""
        await fleet.at(0).put("/settings/system_prompt", {"value": "Be brief."})

        async def told() -> str:
            return (await fleet.at(1).get("/settings")).json["system_prompt"]

        # The other replica keeps settings for as long unless it hears that they changed.
        assert await seen(told, within=CONFIG_CACHED * 0.8) == "Be brief."
        await server.dies()
        chat_id = await fleet.asks(0, "[[say:still here]]")
        await fleet.comes_to_rest(1, chat_id)
        assert (await fleet.said(1, chat_id))[-1] == "still here"
