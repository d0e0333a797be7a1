"""Letting go of an old key of the deployment."""

import re
from importlib.resources import files

import pytest
from tests.config.keys import stored_key

from perdure.access.keyring import Keyring
from perdure.config.config import KEY_PURPOSE
from perdure.config.rotation import SEALED, seal_anew
from perdure.core.errors import Misconfigured
from perdure.store.pool import Pool

OLD, NEW = "an old key of the deployment", "a new key of the deployment"
SHORT_LIVED = {"mcp_sign_ins.secret"}
"""What is gone before an old key is."""


async def test_a_secret_opens_with_the_new_key_alone_once_it_is_rotated(pool: Pool) -> None:
    key = await stored_key(pool, Keyring.of([OLD]).seal("sk-something", KEY_PURPOSE))
    both = Keyring.of([NEW, OLD])
    assert await seal_anew(pool, both) == 1
    sealed = await pool.fetchval("SELECT secret FROM provider_keys WHERE id = $1", key)
    assert Keyring.of([NEW]).open(sealed, KEY_PURPOSE) == "sk-something"
    with pytest.raises(Misconfigured):
        Keyring.of([OLD]).open(sealed, KEY_PURPOSE)
    assert await seal_anew(pool, both) == 0


def test_every_table_with_secrets_is_rotated() -> None:
    schema = files("perdure.store").joinpath("schema.sql").read_text()
    tables = re.findall(r"CREATE (?:UNLOGGED )?TABLE public\.(\w+) \((.*?)\);", schema, re.DOTALL)
    columns = {
        f"{name}.{column}"
        for name, body in tables
        for column in re.findall(r"^\s+(secret|registration) bytea", body, re.MULTILINE)
    }
    rotated = {f"{kind}.secret" for kind in SEALED if kind != "mcp_registrations"} | {"mcp_servers.registration"}
    assert columns - SHORT_LIVED == rotated
