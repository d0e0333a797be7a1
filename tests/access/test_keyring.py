"""Secrets at rest: sealed for one purpose, opened by any known key, re-sealed by the newest."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.access.keyring import Keyring, open_keyring
from perdure.core.errors import Misconfigured

OLD, NEW = "the key of last year", "the key of this year"


@given(st.text())
def test_what_is_sealed_is_opened_again_and_looks_like_nothing(secret: str) -> None:
    try:
        secret.encode()
    except UnicodeEncodeError:
        return
    keyring = Keyring.of([OLD])
    sealed = keyring.seal(secret, "test")
    assert keyring.open(sealed, "test") == secret
    assert len(secret) < 4 or secret.encode() not in sealed


def test_a_rotated_key_still_opens_and_says_what_is_stale() -> None:
    sealed = Keyring.of([OLD]).seal("s3cret", "test")
    rotated = Keyring.of([NEW, OLD])
    assert rotated.open(sealed, "test") == "s3cret"
    assert rotated.stale(sealed)
    assert not rotated.stale(rotated.seal("s3cret", "test"))
    with pytest.raises(Misconfigured, match="no longer names"):
        Keyring.of([NEW]).open(sealed, "test")


def test_a_secret_opens_only_where_it_belongs() -> None:
    keyring = Keyring.of([OLD])
    with pytest.raises(Misconfigured, match="damaged"):
        keyring.open(keyring.seal("s3cret", "here"), "there")


def test_a_short_key_is_refused() -> None:
    with pytest.raises(Misconfigured, match="16 characters"):
        Keyring.of(["short"])


def test_without_a_key_one_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    sealed = open_keyring((), tmp_path).seal("s3cret", "test")
    assert open_keyring((), tmp_path).open(sealed, "test") == "s3cret"
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
