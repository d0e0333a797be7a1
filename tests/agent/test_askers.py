"""With whose rights, keys and budget a turn acts in a chat of several people."""

from uuid import UUID, uuid4

from perdure.access.keyring import Keyring
from perdure.access.signing_in import FirstAccount, first_account
from perdure.agent.configured_models import ConfiguredModels
from perdure.agent.configured_sources import configured_rules
from perdure.agent.decision import Policy
from perdure.config.config import KEY_PURPOSE, Config
from perdure.core.card import Card
from perdure.core.ids import ChatId, UserId
from perdure.core.timing import SystemClock
from perdure.providers.catalog import Catalog
from perdure.providers.credentials import Outgoing
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus

KEYRING = Keyring.of(["a secret key that only tests use"])
WILL = UserId(UUID(int=7))


async def colleague(pool: Pool) -> FirstAccount:
    account = await first_account(pool)
    await pool.execute(
        "INSERT INTO users (id, organisation_id, email, name, role) VALUES ($1, $2, 'w@example.com', 'Will', 'member')",
        WILL,
        account.organisation,
    )
    return account


def card(account: FirstAccount, asked_by: UserId | None) -> Card:
    return Card(
        id=ChatId(uuid4()),
        owner_id=account.owner,
        organisation_id=account.organisation,
        asked_by=asked_by,
        title="Any",
    )


async def test_a_model_is_asked_with_the_key_of_whoever_asks(pool: Pool) -> None:
    account = await colleague(pool)
    provider = await pool.fetchval(
        "INSERT INTO providers (organisation_id, name, dialect, base_url, options) "
        "VALUES ($1, 'Own', 'openai_chat', 'https://models.example.org/v1', '{}') RETURNING id",
        account.organisation,
    )
    for user, key in ((None, "everybody's"), (account.owner, "ada's"), (WILL, "will's")):
        await pool.execute(
            "INSERT INTO provider_keys (provider_id, user_id, secret, hint) VALUES ($1, $2, $3, '')",
            provider,
            user,
            KEYRING.seal(key, KEY_PURPOSE),
        )
    await pool.execute(
        "INSERT INTO model_settings (organisation_id, name, model, provider_id) VALUES ($1, 'm', 'm', $2)",
        account.organisation,
        provider,
    )
    models = ConfiguredModels(Config(pool, LocalBus(), KEYRING, SystemClock()), Catalog.load())
    for asked_by, key in ((None, "ada's"), (account.owner, "ada's"), (WILL, "will's")):
        route = (await models.resolve(card(account, asked_by), None, None)).route
        sent = await route.credentials.authorize(Outgoing("POST", "https://models.example.org/v1", {}, b""))
        assert sent == {"authorization": f"Bearer {key}"}


async def test_in_a_chat_of_somebody_else_ones_own_rules_only_bind_more(pool: Pool) -> None:
    account = await colleague(pool)
    for user, rules in (
        (account.owner, '{"execute": "ask", "write_file": "auto", "edit_files": "auto"}'),
        (WILL, '{"execute": "auto", "write_file": "deny"}'),
    ):
        await pool.execute("INSERT INTO user_settings (user_id, name, value) VALUES ($1, 'approvals', $2)", user, rules)
    limits = f'{{"user": 5, "people": {{"{WILL}": 3}}}}'
    await pool.execute(
        "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'budgets', $2)", account.organisation, limits
    )
    config = Config(pool, LocalBus(), KEYRING, SystemClock())
    rules = await configured_rules(config, card(account, WILL))
    assert rules.policies == {"execute": Policy.ASK, "write_file": Policy.DENY, "edit_files": Policy.AUTO}
    assert rules.limits.user == 3
    own = await configured_rules(config, card(account, account.owner))
    assert own.policies == {"execute": Policy.ASK, "write_file": Policy.AUTO, "edit_files": Policy.AUTO}
    assert own.limits.user == 5
