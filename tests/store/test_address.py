"""Several hosts in a URL: each is one that the driver takes, and no password is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.core.errors import Misconfigured
from perdure.store.address import hosts, place
from perdure.store.connection import connect


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:p@a/db", ["postgresql://u:p@a:5432/db"]),
        (
            "postgresql://u:p@a:5432,b:5433/db?target_session_attrs=read-write&sslmode=require",
            ["postgresql://u:p@a:5432/db?sslmode=require", "postgresql://u:p@b:5433/db?sslmode=require"],
        ),
        ("postgres://[::1]:5433,[::2]/db", ["postgres://[::1]:5433/db", "postgres://[::2]:5432/db"]),
        ("postgresql://u@/db?host=/run/pg", ["postgresql://u@/db?host=/run/pg&port=5432"]),
        (
            "postgresql:///db?host=/run/a,/run/b&port=5432,5433",
            ["postgresql:///db?host=/run/a&port=5432", "postgresql:///db?host=/run/b&port=5433"],
        ),
        (
            "postgresql://u:p%40ss@a,b:1/db?port=5440",
            ["postgresql://u:p%40ss@a:5440/db", "postgresql://u:p%40ss@b:1/db"],
        ),
        ("postgresql://u:p@ss@a/db", ["postgresql://u:p%40ss@a:5432/db"]),
    ],
)
def test_every_host_gets_a_url_of_its_own(url: str, expected: list[str]) -> None:
    assert list(hosts(url)) == expected


_NAMES = st.lists(st.from_regex(r"[a-z][a-z0-9.-]{0,20}[a-z0-9]", fullmatch=True), min_size=1, max_size=5)


@given(_NAMES, st.integers(1, 65_535))
def test_where_it_is_names_every_host_and_never_the_password(names: list[str], port: int) -> None:
    url = f"postgresql://user:SECRET@{','.join(f'{name}:{port}' for name in names)}/db"
    assert place(url) == ", ".join(f"{name}:{port}" for name in names) + "/db"
    assert [place(one) for one in hosts(url)] == [f"{name}:{port}/db" for name in names]


def test_a_url_that_asks_for_a_standby_is_refused_in_words() -> None:
    with pytest.raises(Misconfigured, match=r"target_session_attrs=standby, but Perdure writes"):
        hosts("postgresql://a,b/db?target_session_attrs=standby")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://a:99999/db",
        "postgresql://a:0/db",
        "postgresql://a:-1/db",
        "postgresql://a:\u0661/db",
        "postgresql://a:5432,b:SECRET/db",
        "postgresql://a/db?port=SECRET",
        "postgresql:///db?host=/run/pg&port=SECRET",
        "postgresql://[::1/SECRET",
        "postgresql://user:SECRET#more@a/db",
        "postgresql://user:SECRET/more@a/db",
        "postgresql://user:SECRET?more@a/db",
        "http://user:SECRET@a/db",
        "host=a password=SECRET",
        "a:5432/SECRET",
        "",
    ],
)
async def test_what_is_no_address_is_refused_in_one_line_that_shows_nothing_of_it(url: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        await connect(url)
    said = str(refused.value)
    assert "PERDURE_DATABASE_URL" in said
    assert "SECRET" not in said
    assert len(said.splitlines()) == 1
