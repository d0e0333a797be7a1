"""What is written down while replicas are broken is what happened."""

from uuid import uuid4

from perdure.core.ids import ChatId
from perdure.proof.evidence import gathered, prepare
from perdure.store.connection import connect
from perdure.store.pool import Pool
from perdure.store.segments import Segment, write


async def test_parts_that_are_stored_again_with_more_behind_them_are_seen(database_url: str, pool: Pool) -> None:
    """A replica that did not hear that they were stored stores them again, together with what came since."""
    connection = await connect(database_url)
    await prepare(connection)
    await connection.close()
    episode = (ChatId(uuid4()), 7, 1)
    for first, last in ((1, 19), (1, 35), (36, 40)):
        await write(pool, [Segment(episode, first, last, "[]")], [])
    stored = (await gathered(database_url)).stored
    assert [(each.seq_from, each.seq_to) for each in stored] == [(1, 19), (1, 35), (36, 40)]
