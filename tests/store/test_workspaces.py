"""The rows of workspaces."""

from uuid import UUID, uuid4

from perdure.core.ids import ChatId
from perdure.store.pool import Pool
from perdure.store.tables.workspaces import of_chat
from perdure.testing.served_api import serve_api

TEXT = [{"type": "text", "text": "hello"}]
OWNED = "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) VALUES ($1, $2, $3, 'none', 'blank')"


async def test_a_chat_does_not_act_in_a_workspace_of_somebody_else(database_url: str, pool: Pool) -> None:
    async with serve_api(database_url, pool) as api, await api.person("ada") as ada, await api.person("bob") as bob:
        chat = ChatId(UUID((await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]))
        hers, his = uuid4(), uuid4()
        await pool.execute(OWNED, hers, ada.organisation_id, ada.id)
        await pool.execute(OWNED, his, bob.organisation_id, bob.id)
        await pool.execute("UPDATE chat_cards SET workspace_id = $2 WHERE id = $1", chat, his)
        assert await of_chat(pool, chat) is None
        await pool.execute("UPDATE chat_cards SET workspace_id = $2 WHERE id = $1", chat, hers)
        found = await of_chat(pool, chat)
        assert found is not None
        assert found.id == hers
        await pool.execute("DELETE FROM workspaces")
