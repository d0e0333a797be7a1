"""Signing in: links, passwords, cookies, tokens."""

import pytest

from perdure.access.actor import Role
from perdure.access.signing_in import Visitor
from perdure.store.tables import users
from perdure.testing.served_api import Person, ServedApi

HELLO = {"content": [{"type": "text", "text": "hello"}]}


async def sign_in(api: ServedApi, person: Person) -> str:
    """Follow a login link; from then on the person uses a browser. Returns the link's path."""
    path = f"/login/link?token={await api.services.sign_in.link(api.account.owner)}"
    said = await person.get(path)
    assert (said.status, said.headers["location"]) == (303, "/")
    assert "HttpOnly; SameSite=Lax" in said.headers["set-cookie"]
    person.cookie = said.headers["set-cookie"].partition(";")[0]
    return path


async def test_a_login_link_works_once_and_opens_a_session(api: ServedApi, ada: Person) -> None:
    path = await sign_in(api, ada)
    me = (await ada.get("/me")).json
    assert (me["email"], me["role"]) == ("owner@localhost", "owner")
    assert (await ada.get(path)).status == 401


@pytest.mark.parametrize(
    "other", ['settings={"theme": "dark"}', "seen=a b", "k[0]=1", "odd", "=", "x=y=z", "name=gr\xfc\xdfe"]
)
async def test_a_session_is_known_among_the_cookies_of_other_programs(api: ServedApi, ada: Person, other: str) -> None:
    await sign_in(api, ada)
    ada.cookie = f"{other}; {ada.cookie}; {other}"
    assert (await ada.get("/me")).status == 200


async def test_a_session_changes_nothing_without_the_token_of_its_page(api: ServedApi, ada: Person) -> None:
    await sign_in(api, ada)
    token = (await ada.get("/me")).json["csrf_token"]
    assert (await ada.post("/chats", HELLO)).status == 403
    assert (await ada.post("/chats", HELLO, x_csrf_token="wrong")).status == 403
    assert (await ada.post("/chats", HELLO, x_csrf_token=token)).status == 201
    assert (await ada.post("/logout", x_csrf_token=token)).status == 204
    assert (await ada.get("/me")).status == 401


async def test_a_password_opens_a_session_and_a_wrong_one_does_not(api: ServedApi, ada: Person) -> None:
    assert (await ada.patch("/me", {"password": "short"})).status == 400
    assert (await ada.patch("/me", {"password": "long enough"})).status == 200
    wrong = await ada.post("/login", {"email": "ada@example.com", "password": "wrong"})
    assert (wrong.status, wrong.json["message"]) == (401, "The email or password is wrong.")
    right = await ada.post("/login", {"email": "ADA@example.com", "password": "long enough"})
    assert (right.status, right.json["id"]) == (200, str(ada.id))
    assert right.headers["set-cookie"].startswith("perdure_session=pds_")
    stored = await api.pool.fetchval("SELECT password_hash FROM users WHERE id = $1", ada.id)
    assert stored.startswith("$argon2id$")


async def test_a_new_password_asks_for_the_old_one(api: ServedApi, ada: Person) -> None:
    assert (await ada.patch("/me", {"password": "the first one"})).status == 200
    missing = await ada.patch("/me", {"password": "the second one"})
    wrong = await ada.patch("/me", {"password": "the second one", "old_password": "a guess"})
    assert [(said.status, said.json["validations"]) for said in (missing, wrong)] == [
        (400, [{"field": "old_password", "detail": "is missing"}]),
        (400, [{"field": "old_password", "detail": "is wrong"}]),
    ]
    assert (await ada.patch("/me", {"password": "the second one", "old_password": "the first one"})).status == 200
    guesses = [await ada.patch("/me", {"password": "the third one", "old_password": "guess"}) for _ in range(11)]
    assert [said.status for said in guesses] == [400] * 10 + [429]
    assert (await api.services.sign_in.by_password("ada@example.com", "the second one", Visitor("here"))).strip()


@pytest.mark.parametrize(("minutes", "status"), [(9, 200), (11, 400)])
async def test_whoever_has_just_signed_in_is_not_asked_for_the_old_password(
    api: ServedApi, ada: Person, minutes: int, status: int
) -> None:
    await sign_in(api, ada)
    token = (await ada.get("/me")).json["csrf_token"]
    await api.pool.execute("UPDATE sessions SET created_at = now() - make_interval(mins => $1)", minutes)
    said = await ada.patch("/me", {"password": "long enough"}, x_csrf_token=token)
    assert said.status == status


async def test_another_site_signs_nobody_in(api: ServedApi, ada: Person) -> None:
    assert (await ada.patch("/me", {"password": "long enough"})).status == 200
    known = {"email": "ada@example.com", "password": "long enough"}
    for origin in ("https://evil.example", "null", "http://[", "", f"{api.url}.evil.example"):
        refused = await ada.post("/login", known, origin=origin)
        assert (refused.status, "set-cookie" in refused.headers) == (403, False)
    assert (await ada.post("/login", known, origin=api.url)).status == 200


async def test_a_password_that_whoever_has_the_machine_sets_ends_the_sessions_of_its_person(
    api: ServedApi, ada: Person
) -> None:
    await sign_in(api, ada)
    assert (await ada.get("/me")).status == 200
    known = await users.set_password(api.pool, "Owner@localhost", "a hash")
    api.services.authentication.forget()
    assert known == api.account.owner
    assert (await ada.get("/me")).status == 401


async def test_guessing_passwords_is_slowed_down(ada: Person) -> None:
    tries = [await ada.post("/login", {"email": "ada@example.com", "password": "guess"}) for _ in range(11)]
    assert [said.status for said in tries] == [401] * 10 + [429]
    assert 0 < int(tries[-1].headers["retry-after"]) <= 300


async def test_nobody_gets_in_without_credentials(ada: Person) -> None:
    ada.token = "pdt_made-up"
    assert (await ada.get("/me")).status == 401
    ada.token = "something else"
    assert (await ada.get("/chats")).status == 401


async def test_a_disabled_person_is_out_at_once(api: ServedApi, ada: Person) -> None:
    assert (await ada.get("/me")).status == 200
    await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
    api.services.authentication.forget()
    assert (await ada.get("/me")).status == 401


async def test_the_first_run_is_announced_until_somebody_has_a_password(ada: Person) -> None:
    assert (await ada.get("/login/methods")).json == {"password": True, "oidc": [], "first_run": True}
    await ada.patch("/me", {"password": "long enough"})
    assert (await ada.get("/login/methods")).json["first_run"] is False


async def test_making_tokens_is_slowed_down(ada: Person) -> None:
    made = [await ada.post("/tokens", {"name": f"t{number}"}) for number in range(51)]
    assert [said.status for said in made] == [201] * 50 + [429]
    assert 0 < int(made[-1].headers["retry-after"]) <= 300


async def test_a_token_for_chats_makes_its_holder_nothing_more(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        other = (await boss.post("/tokens", {"name": "other"})).json["id"]
        boss.token = (await boss.post("/tokens", {"name": "chats", "scopes": ["chat"]})).json["secret"]
        assert (await boss.post("/tokens", {"name": "more", "scopes": ["admin"]})).status == 403
        assert (await boss.post("/tokens", {"name": "longer", "scopes": ["chat"]})).status == 403
        assert (await boss.patch("/me", {"password": "long enough"})).status == 403
        assert (await boss.delete(f"/tokens/{other}")).status == 403
        assert (await boss.delete(f"/sessions/{other}")).status == 403
        assert (await boss.patch("/me", {"name": "Boss"})).status == 200
        assert (await boss.post("/chats", HELLO)).status == 201


async def test_a_token_that_only_reads_may_say_so_twice(api: ServedApi, ada: Person) -> None:
    ada.token = (await ada.post("/tokens", {"name": "reads", "scopes": ["read", "read"]})).json["secret"]
    assert (await ada.patch("/me", {"name": "Ada"})).status == 403
    assert await api.pool.fetchval("SELECT name FROM users WHERE id = $1", ada.id) == "ada"
