"""Summaries that were said to cover more than they had seen."""

from datetime import UTC, datetime
from uuid import uuid4

from perdure.store.migrations.runner import shipped
from perdure.store.pool import Pool

ROWS = (
    (1, "ordinary", None),
    (2, "ordinary", None),
    (3, "boundary", 1),
    (6, "ordinary", None),
    (7, "boundary", 3),
    (10, "boundary", 7),
    (20, "boundary", 6),
)


async def test_a_summary_covers_no_more_than_the_one_that_it_summarised(pool: Pool) -> None:
    organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('o') RETURNING id")
    user = await pool.fetchval(
        "INSERT INTO users (organisation_id, email) VALUES ($1, 'a@example.com') RETURNING id", organisation
    )
    chat = uuid4()
    await pool.execute("INSERT INTO chats (id, status, snapshot_version) VALUES ($1, 'waiting', 1)", chat)
    await pool.execute(
        "INSERT INTO chat_cards (id, organisation_id, owner_id, title) VALUES ($1, $2, $3, 't')",
        chat,
        organisation,
        user,
    )
    for number, kind, covers in ROWS:
        await pool.execute(
            "INSERT INTO messages (chat_id, number, revision, role, visibility, kind, parts, covers, created_at) "
            "VALUES ($1, $2, 1, 'user', 'both', $3, '[]', $4, $5)",
            chat,
            number,
            kind,
            covers,
            datetime.now(UTC),
        )
    await pool.execute(next(each.sql for each in shipped() if each.name == "covered"))
    rows = await pool.fetch("SELECT number, covers FROM messages WHERE kind = 'boundary' ORDER BY number")
    assert [tuple(row) for row in rows] == [(3, 1), (7, 1), (10, 1), (20, 6)]
