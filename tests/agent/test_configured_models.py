"""Models that somebody set up wrongly: whoever asks them is told what to mend."""

from typing import Any
from uuid import uuid4

import msgspec
import pytest

from perdure.access.keyring import Keyring
from perdure.access.signing_in import first_account
from perdure.agent.configured_models import ConfiguredModels
from perdure.config.config import KEY_PURPOSE, Config
from perdure.config.models import ModelOptions, ProviderOptions
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.ids import ChatId
from perdure.core.timing import SystemClock
from perdure.providers.catalog import Catalog
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus

KEYRING, ANOTHER = Keyring.of(["a secret key that only tests use"]), Keyring.of(["another key that nobody knows"])


def text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize(
    ("provider", "model", "sealed_with", "said"),
    [
        (ProviderOptions(vendor="vertex"), ModelOptions(), KEYRING, "Google needs a project."),
        (ProviderOptions(vendor="openai"), ModelOptions(), ANOTHER, "no longer names"),
        (ProviderOptions(vendor="openai"), ModelOptions(thinking="hard"), KEYRING, "not 'hard'"),
    ],
    ids=["no project", "another secret key", "no way to think"],
)
async def test_what_an_admin_has_to_mend_is_a_configuration_error_that_says_so(
    pool: Pool, provider: ProviderOptions, model: ModelOptions, sealed_with: Keyring, said: str
) -> None:
    account = await first_account(pool)
    provider_id = await pool.fetchval(
        "INSERT INTO providers (organisation_id, name, dialect, base_url, options) "
        "VALUES ($1, 'Google', 'openai_chat', '', $2) RETURNING id",
        account.organisation,
        text(provider),
    )
    await pool.execute(
        "INSERT INTO provider_keys (provider_id, secret, hint) VALUES ($1, $2, '')",
        provider_id,
        sealed_with.seal("a key", KEY_PURPOSE),
    )
    await pool.execute(
        "INSERT INTO model_settings (organisation_id, name, model, provider_id, options) VALUES ($1, 'm', 'm', $2, $3)",
        account.organisation,
        provider_id,
        text(model),
    )
    models = ConfiguredModels(Config(pool, LocalBus(), KEYRING, SystemClock()), Catalog.load())
    card = Card(id=ChatId(uuid4()), owner_id=account.owner, organisation_id=account.organisation, title="a chat")
    with pytest.raises(ProviderFailure) as failed:
        await models.resolve(card, None, None)
    assert (failed.value.error.kind, failed.value.error.provider) == (ErrorKind.CONFIG, "Google")
    assert said in failed.value.error.message
