"""Signing in with a login service: a real provider, with proof of a key, state and nonce."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from tests.api.login_service import Browser, LoginService, login_service

from perdure.access.actor import Role
from perdure.testing.served_api import ServedApi


@pytest.fixture(scope="module")
def service() -> Iterator[LoginService]:
    with login_service() as service:
        yield service


async def _set_up(api: ServedApi, service: LoginService, **options: Any) -> str:
    """Where signing in with the service begins."""
    async with await api.person("boss", Role.OWNER) as boss:
        body = {"name": "SSO", "issuer": service.url, "client_id": "us", "client_secret": "c4nary", "options": options}
        assert (await boss.put("/login-services/sso", body)).status == 200
        (offered,) = (await boss.get("/login/methods")).json["oidc"]
    assert (offered["slug"], offered["name"]) == ("sso", "SSO")
    return f"{api.url}{offered['url']}"


async def _me(api: ServedApi, browser: Browser) -> dict[str, Any]:
    status, _, body = await browser.get(f"{api.url}/api/v1/me")
    assert status == 200
    return msgspec.json.decode(body)


async def test_somebody_new_gets_an_account_and_is_the_same_the_next_time(
    api: ServedApi, service: LoginService
) -> None:
    start, browser = await _set_up(api, service), Browser()
    await service.knows("s-1", {"email": "Grace@example.com", "email_verified": True, "name": "Grace"})
    status, location, _ = await browser.signs_in(start, "s-1")
    assert (status, location) == (303, "/")
    first = await _me(api, browser)
    assert (first["email"], first["name"], first["role"]) == ("Grace@example.com", "Grace", "member")
    # The address may change; the subject is who somebody is.
    await service.knows("s-1", {"email": "hopper@example.com", "email_verified": True})
    browser.forget()
    assert (await browser.signs_in(start, "s-1"))[0] == 303
    assert (await _me(api, browser))["id"] == first["id"]


async def test_an_account_is_found_by_a_verified_address_and_by_no_other(api: ServedApi, service: LoginService) -> None:
    start = await _set_up(api, service, provision=False)
    async with await api.person("ada") as ada:
        await service.knows("s-2", {"email": "ada@example.com", "email_verified": False})
        assert (await Browser().signs_in(start, "s-2"))[0] == 401
        await service.knows("s-2", {"email": "ADA@example.com", "email_verified": True})
        browser = Browser()
        assert (await browser.signs_in(start, "s-2"))[0] == 303
        assert (await _me(api, browser))["id"] == str(ada.id)
        await service.knows("s-3", {"email": "stranger@example.com", "email_verified": True})
        assert (await Browser().signs_in(start, "s-3"))[0] == 401
        await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
        assert (await Browser().signs_in(start, "s-2"))[0] == 401
    audited = [row["action"] for row in await api.pool.fetch("SELECT action FROM audit ORDER BY id")]
    assert audited == ["login_service.put", "user.link"]


async def test_claims_decide_the_role_and_never_that_of_an_owner(api: ServedApi, service: LoginService) -> None:
    roles = {"role_claim": "groups", "roles": {"ops": "admin", "books": "auditor"}}
    start, browser = await _set_up(api, service, **roles), Browser()
    for groups, role in ((["ops", "books"], "admin"), (["books"], "auditor"), ([], "member"), ("ops", "admin")):
        await service.knows("s-4", {"email": "lin@example.com", "email_verified": True, "groups": groups})
        assert (await browser.signs_in(start, "s-4"))[0] == 303
        assert (await _me(api, browser))["role"] == role
    await service.knows("s-5", {"email": "boss@example.com", "email_verified": True, "groups": []})
    assert (await browser.signs_in(start, "s-5"))[0] == 303
    assert (await _me(api, browser))["role"] == "owner"


async def test_only_the_domains_that_are_named_get_in(api: ServedApi, service: LoginService) -> None:
    start = await _set_up(api, service, domains=["example.com"])
    await service.knows("s-6", {"email": "x@example.org", "email_verified": True})
    status, _, body = await Browser().signs_in(start, "s-6")
    assert (status, b"domain" in body) == (401, True)


async def test_an_account_of_another_organisation_is_not_taken_over(api: ServedApi, service: LoginService) -> None:
    other = await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id")
    async with await api.person("eve", Role.MEMBER, other):
        start = await _set_up(api, service)
        await service.knows("s-7", {"email": "eve@example.com", "email_verified": True})
        assert (await Browser().signs_in(start, "s-7"))[0] == 401


async def test_a_way_back_that_did_not_begin_here_leads_nowhere(api: ServedApi, service: LoginService) -> None:
    start, browser = await _set_up(api, service), Browser()
    await service.knows("s-8", {"email": "kay@example.com", "email_verified": True})
    back = await browser.comes_back(start, "s-8")
    stranger = Browser()
    assert (await stranger.get(back))[0] == 401
    query = parse_qs(urlsplit(back).query)
    base = back.split("?")[0]
    for wrong in (
        f"{base}?code={query['code'][0]}&state=other",
        f"{base}?state={query['state'][0]}",
        f"{base}?state={query['state'][0]}&error=access_denied",
        f"{base}?code=guess&state={query['state'][0]}",
    ):
        assert (await browser.get(wrong))[0] == 401
    # A code of somebody else, brought along with one's own state: the key proves that it was not asked for here.
    await service.knows("s-9", {"email": "victim@example.com", "email_verified": True})
    theirs = parse_qs(urlsplit(await Browser().comes_back(start, "s-9")).query)["code"][0]
    assert (await browser.get(f"{base}?code={theirs}&state={query['state'][0]}"))[0] == 401
    assert (await browser.get(back))[0] == 303
    assert (await browser.get(back))[0] == 401


HTML = "text/html,application/xhtml+xml"


async def test_people_read_what_went_wrong_on_a_page(api: ServedApi, service: LoginService) -> None:
    start, browser = await _set_up(api, service), Browser()
    await browser.get(start)
    for said, words in (
        ("error=access_denied&state=x", b"You were not let in"),
        ("error=server_error&state=x", b"did not let you in: server_error."),
        ("error=%3Cscript%3Ecall+us%3C%2Fscript%3E&state=x", b"did not let you in: it gave no reason."),
        ("code=guess&state=other", b"took too long, or was started in another browser"),
    ):
        status, _, body = await browser.get(f"{start}/callback?{said}", accept=HTML)
        assert (status, body.startswith(b"<!doctype html>")) == (401, True)
        assert words in body
        assert b'href="/login"' in body
        assert b"<script" not in body
    status, _, body = await browser.get(f"{start}/callback?error=access_denied", accept="application/json")
    assert msgspec.json.decode(body)["message"].startswith("You were not let in")


async def test_a_service_that_is_away_is_a_page_too_and_so_is_a_link_that_was_used(api: ServedApi) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        body = {"name": "SSO", "issuer": "http://127.0.0.1:9", "client_id": "us"}
        assert (await boss.put("/login-services/away", body)).status == 200
    status, _, page = await Browser().get(f"{api.url}/api/v1/login/oidc/away", accept=HTML)
    assert (status, b"did not answer. Try again." in page) == (503, True)
    status, _, page = await Browser().get(f"{api.url}/api/v1/login/link?token=used", accept=HTML)
    assert (status, page.startswith(b"<!doctype html>")) == (401, True)
    status, _, page = await Browser().get(f"{api.url}/api/v1/me", accept=HTML)
    assert (status, b"message" in page) == (401, True)


async def test_a_service_that_is_away_or_lies_or_lies_about_its_name_is_said_in_one_line(
    api: ServedApi, service: LoginService
) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        body = {"name": "SSO", "issuer": "http://127.0.0.1:9", "client_id": "us"}
        assert (await boss.put("/login-services/away", body)).status == 200
        assert (await boss.get("/login/oidc/away")).status == 503
        lying = {**body, "issuer": service.url.replace("127.0.0.1", "localhost") + "/x"}
        assert (await boss.put("/login-services/away", lying)).status == 200
        assert (await boss.get("/login/oidc/away")).status == 503
        assert (await boss.get("/login/oidc/nothing")).status == 404
        for wrong in ("http://login.example.com", "ftp://x", "https://", "javascript:alert(1)"):
            assert (await boss.put("/login-services/away", {**body, "issuer": wrong})).status == 400
