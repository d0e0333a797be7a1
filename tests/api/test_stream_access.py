"""Who stays inside: for as long as they may do what they came for."""

from uuid import UUID

import pytest
from tests.api.test_session import sign_in

from perdure.api.stream_access import StreamAccess
from perdure.core.errors import NotAllowed
from perdure.core.ids import WorkspaceId
from perdure.testing.served_api import Person, ServedApi

WORKSPACE = WorkspaceId(UUID(int=1))


async def test_whoever_may_not_work_any_more_leaves_their_terminal_and_keeps_what_they_may_read(
    api: ServedApi, ada: Person
) -> None:
    await api.pool.execute(
        "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) VALUES ($1, $2, $3, 'none', 'blank')",
        WORKSPACE,
        ada.organisation_id,
        ada.id,
    )
    door = StreamAccess(api.services.authentication, api.pool, api.services.rows)
    scope = {"headers": [(b"authorization", f"Bearer {ada.token}".encode())]}
    terminal, _ = await door.enter_workspace(scope, WORKSPACE)
    list_of_chats = await door.enter(scope, None)
    assert await door.denied([terminal, list_of_chats]) == set()
    await api.pool.execute("UPDATE users SET role = 'auditor' WHERE id = $1", ada.id)
    api.services.authentication.forget()
    assert await door.denied([terminal, list_of_chats]) == {terminal}
    await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
    api.services.authentication.forget()
    assert await door.denied([terminal, list_of_chats]) == {terminal, list_of_chats}
    await api.pool.execute("DELETE FROM workspaces")


async def test_a_browser_connects_from_our_own_page_only(api: ServedApi, ada: Person) -> None:
    await sign_in(api, ada)
    door = StreamAccess(
        api.services.authentication, api.pool, api.services.rows, public_url="https://perdure.example.com"
    )

    async def enters(origin: str) -> None:
        headers = {"cookie": ada.cookie, "host": "10.0.0.7:8080", "origin": origin}
        await door.enter({"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}, None)

    await enters("http://10.0.0.7:8080")
    await enters("https://perdure.example.com")
    for other in ("https://evil.example", "null", "http://["):
        with pytest.raises(NotAllowed):
            await enters(other)
