"""What the organisation and the owner have settled, as a turn sees it."""

from uuid import uuid4

from perdure.access.keyring import Keyring
from perdure.access.signing_in import first_account
from perdure.agent.configured_sources import configured_rules
from perdure.agent.decision import Policy
from perdure.config.config import Config
from perdure.core.card import Card
from perdure.core.ids import ChatId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus


async def test_a_person_may_settle_anything_but_what_the_organisation_denies(pool: Pool) -> None:
    account = await first_account(pool)
    await pool.execute(
        "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'approvals', $2)",
        account.organisation,
        '{"execute": "deny", "write_file": "ask", "edit_files": "ask"}',
    )
    await pool.execute(
        "INSERT INTO user_settings (user_id, name, value) VALUES ($1, 'approvals', $2)",
        account.owner,
        '{"execute": "auto", "write_file": "auto"}',
    )
    config = Config(pool, LocalBus(), Keyring.of(["a secret key that only tests use"]), SystemClock())
    card = Card(id=ChatId(uuid4()), owner_id=account.owner, organisation_id=account.organisation, title="Any")
    rules = await configured_rules(config, card)
    assert rules.forbidden == {"execute"}
    assert (rules.policies["write_file"], rules.policies["edit_files"]) == (Policy.AUTO, Policy.ASK)
