"""Previews over real HTTP, a real sandbox and a program in it: what reaches whom, and what never does."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import aiohttp
import pytest

from perdure.access.credentials import SESSION_PREFIX, digest, mint
from perdure.access.previews import Preview, Previews, Use
from perdure.api.preview.addresses import Place
from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.timing import PREVIEW_KEPT, SystemClock
from perdure.store.tables import workspaces
from perdure.testing.polling import seen
from perdure.testing.served_api import Person, ServedApi

PROGRAM = Path(__file__).with_name("app_inside.py").read_bytes()
PORT = 4321


@dataclass(slots=True)
class Shared:
    """A chat of Ada's with a workspace in which a program serves."""

    api: ServedApi
    ada: Person
    chat: str
    workspace: WorkspaceId
    http: aiohttp.ClientSession

    async def url(self, person: Person, port: int = PORT, **headers: str) -> tuple[str, bool]:
        said = await person.get(f"/chats/{self.chat}/ports/{port}/url", **headers)
        assert said.status == 200, said.body
        return said.json["url"], said.json["isolated"]

    async def fetch(self, path: str, method: str = "GET", **asked: Any) -> aiohttp.ClientResponse:
        """An answer whose body is read."""
        url = f"{self.api.url}{path}"
        async with self.http.request(method, url, allow_redirects=False, **asked) as answer:
            await answer.read()
            return answer

    async def opens(self, person: Person) -> "Browser":
        """On an origin of its own, as a browser that finds `localhost` does."""
        host = self.api.url.removeprefix("http://127.0.0.1")
        url, isolated = await self.url(person, host=f"localhost{host}")
        assert isolated
        browser = Browser(self, urlsplit(url).netloc)
        answer = await browser.get(f"{urlsplit(url).path}?{urlsplit(url).query}")
        assert (answer.status, answer.headers["location"]) == (303, "/")
        browser.cookie = answer.headers["set-cookie"].partition(";")[0]
        return browser


@dataclass(slots=True)
class Browser:
    """A browser at a preview's own origin."""

    shared: Shared
    host: str
    cookie: str = ""

    def sends(self, headers: dict[str, str]) -> dict[str, str]:
        return {"host": self.host, "cookie": f"{self.cookie}; perdure_session=pds_secret; theirs=x", **headers}

    async def get(self, path: str, **headers: str) -> aiohttp.ClientResponse:
        return await self.ask("GET", path, **headers)

    async def ask(self, method: str, path: str, data: Any = None, **headers: str) -> aiohttp.ClientResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.shared.fetch(path, method=method, data=data, headers=self.sends(named))

    async def follow(self, path: str) -> aiohttp.ClientResponse:
        """An answer whose body is read as it comes."""
        url = f"{self.shared.api.url}{path}"
        return await self.shared.http.get(url, headers=self.sends({}))


@asynccontextmanager
async def shared_by(api: ServedApi, ada: Person) -> AsyncGenerator[Shared]:
    made = (await ada.post("/workspaces", {"template": "blank"})).json
    content = [{"type": "text", "text": "Serve it."}]
    chat = (await ada.post("/chats", {"content": content, "workspace_id": made["id"]})).json
    workspace = WorkspaceId(UUID(made["id"]))
    client = await client_of(api, workspace)
    await client.files.put("app.py", PROGRAM)
    await client.processes.start(f"exec python3 app.py {PORT}")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        found = Shared(api, ada, chat.get("id") or chat["chat"]["id"], workspace, http)

        async def listens() -> bool:
            return bool((await ada.get(f"/chats/{found.chat}/ports")).json["ports"])

        assert await seen(listens)
        yield found


async def client_of(api: ServedApi, workspace: WorkspaceId) -> Any:
    row = await workspaces.load(api.pool, workspace)
    assert row is not None
    return await api.services.workspaces.client(row)


@pytest.fixture
async def shared(api: ServedApi, ada: Person) -> AsyncIterator[Shared]:
    async with shared_by(api, ada) as found:
        yield found


async def test_what_listens_is_told_with_its_command_and_nothing_else(shared: Shared) -> None:
    said = (await shared.ada.get(f"/chats/{shared.chat}/ports")).json
    assert said == {"running": True, "ports": [{"port": PORT, "command": f"python3 app.py {PORT}"}]}
    await shared.ada.post(f"/workspaces/{shared.workspace}/stop")
    assert (await shared.ada.get(f"/chats/{shared.chat}/ports")).json == {"running": False, "ports": []}


async def test_a_request_reaches_the_program_without_what_is_this_servers(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    origin = f"http://{browser.host}"
    answer = await browser.get(
        "/a%2Fb/..;/c?q=%20x&q=2",
        authorization=f"Bearer {shared.ada.token}",
        origin=origin,
        referer=f"{origin}/page",
        connection="keep-alive, x-own",
        x_own="1",
        x_forwarded_for="1.2.3.4",
        x_theirs="kept",
        te="trailers",
    )
    assert answer.status == 200
    said = await answer.json()
    headers = dict(said["headers"])
    assert said["path"] == "/a%2Fb/..;/c?q=%20x&q=2"
    assert headers["host"] == f"localhost:{PORT}"
    assert headers["cookie"] == "theirs=x"
    assert (headers["origin"], headers["referer"]) == (f"http://localhost:{PORT}", f"http://localhost:{PORT}/page")
    assert headers["x-theirs"] == "kept"
    assert not {"authorization", "x-own", "x-forwarded-for", "te"} & set(headers)
    assert "pds_secret" not in str(said)
    assert browser.cookie.partition("=")[2] not in str(said)


async def test_an_answer_comes_back_without_what_would_reach_further_than_the_preview(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    answer = await browser.get("/leads")
    assert (answer.status, answer.headers["location"]) == (302, "/there?x=1")
    assert answer.headers.getall("set-cookie") == ["mine=1; Path=/", "other=2"]
    page = f"http://localhost{shared.api.url.removeprefix('http://127.0.0.1')}"
    assert answer.headers.getall("content-security-policy") == ["img-src *", f"frame-ancestors 'self' {page}"]
    for name in ("x-frame-options", "strict-transport-security", "keep-alive"):
        assert name not in answer.headers


async def test_large_bodies_go_through_both_ways_in_pieces(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    answer = await browser.follow("/big?pieces=512")
    digest, size = hashlib.sha256(), 0
    async for piece in answer.content.iter_chunked(65536):
        digest.update(piece)
        size += len(piece)
    piece = bytes(range(256)) * 256
    assert (size, digest.hexdigest()) == (512 * 65536, hashlib.sha256(piece * 512).hexdigest())

    async def body() -> AsyncIterator[bytes]:
        for _ in range(256):
            yield piece

    said = await (await browser.ask("POST", "/up", body())).json()
    assert (said["size"], said["sha256"]) == (256 * 65536, hashlib.sha256(piece * 256).hexdigest())


async def test_an_answer_that_breaks_off_does_not_look_whole(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    with pytest.raises(aiohttp.ClientPayloadError):
        await browser.get("/broken")


async def test_events_come_as_they_are_said(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    answer = await browser.follow("/events")
    assert [await answer.content.readuntil(b"\n\n") for _ in range(3)] == [
        b"data: 0\n\n",
        b"data: 1\n\n",
        b"data: 2\n\n",
    ]
    answer.close()


async def test_a_web_socket_is_passed_on_with_its_protocol_and_its_end(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    url, headers = f"{shared.api.url}/socket", browser.sends({"origin": f"http://{browser.host}"})
    async with shared.http.ws_connect(url, headers=headers, protocols=("a", "vite-hmr")) as socket:
        seen_inside = dict(await socket.receive_json())
        assert (seen_inside["cookie"], seen_inside["origin"]) == ("theirs=x", f"http://localhost:{PORT}")
        assert socket.protocol == "vite-hmr"
        await socket.send_str("hello")
        assert await socket.receive_str() == "hello"
        await socket.send_bytes(bytes(100_000))
        assert await socket.receive_bytes() == bytes(100_000)
        await socket.close(code=4242)
        assert socket.close_code == 4242
    for origin in ({}, {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": shared.api.url}):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await shared.http.ws_connect(url, headers=browser.sends(origin))
        assert refused.value.status == 403


async def test_other_sites_get_nothing_through_a_browser_that_has_the_cookie(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    for site in ("cross-site", "same-site"):
        for mode in ("no-cors", "cors"):
            answer = await browser.get("/", sec_fetch_site=site, sec_fetch_mode=mode)
            assert answer.status == 403
        posted = await browser.ask("POST", "/", b"x", sec_fetch_site=site, sec_fetch_mode="navigate")
        assert posted.status == 403
        assert (await browser.get("/", sec_fetch_site=site, sec_fetch_mode="navigate")).status == 200


async def test_a_grant_is_for_one_port_of_one_workspace_in_one_place(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    other = Place(WorkspaceId(UUID(int=7)), PORT).label
    elsewhere = Place(shared.workspace, PORT + 1).label
    port = browser.host.partition(":")[2]
    for label in (other, elsewhere):
        assert (await browser.get("/", host=f"{label}.localhost:{port}")).status == 404
    url, _ = await shared.url(shared.ada, host=f"localhost:{port}")
    link = url.partition("grant=")[2]
    for label in (other, elsewhere):
        assert (await browser.get(f"/.perdure/open?grant={link}", host=f"{label}.localhost:{port}")).status == 404
    cookie = browser.cookie.partition("=")[2]
    # What is for the cookie opens no link and is no path; a link is no cookie.
    assert (await browser.get(f"/.perdure/open?grant={cookie}")).status == 404
    assert (await shared.fetch(f"/preview/{cookie}/")).status == 404
    assert (await browser.get("/", cookie=f"perdure_preview={link}")).status == 404


class Late(SystemClock):
    """A clock that runs ahead."""

    def __init__(self, ahead: timedelta) -> None:
        self._ahead = ahead

    def now(self) -> Any:
        return super().now() + self._ahead


async def test_a_grant_that_is_over_forged_or_anothers_shows_nothing(shared: Shared) -> None:
    api, browser = shared.api, await shared.opens(shared.ada)
    early = Previews(api.pool, api.services.keyring, Late(-PREVIEW_KEPT - timedelta(seconds=1)))
    chat = ChatId(UUID(shared.chat))
    mine = Preview(chat, shared.workspace, PORT, shared.ada.id, shared.ada.organisation_id, None, "http://localhost")
    over = early.sign(mine, Use.COOKIE)
    good = api.services.previews.sign(mine, Use.COOKIE)
    async with await api.person("eve") as eve:
        theirs = api.services.previews.sign(
            Preview(chat, shared.workspace, PORT, eve.id, eve.organisation_id, None, ""), Use.COOKIE
        )
        assert (await eve.get(f"/chats/{shared.chat}/ports")).status == 404
        assert (await eve.get(f"/chats/{shared.chat}/ports/{PORT}/url")).status == 404
    assert (await browser.get("/", cookie=f"perdure_preview={good}")).status == 200
    for bad in (
        over,
        theirs,
        "",
        "x",
        good[:-3],
        f"{good[:20]}A{good[21:]}",
        f"{theirs.partition('.')[0]}.{good.partition('.')[2]}",
    ):
        assert (await browser.get("/", cookie=f"perdure_preview={bad}")).status == 404


async def test_a_reader_sees_it_until_the_share_is_taken_back_also_what_is_open(shared: Shared) -> None:
    api, place = shared.api, f"/chats/{shared.chat}/acl"
    async with await api.person("bob") as bob:
        await shared.ada.put(place, {"users": [str(bob.id)], "groups": []})
        browser = await shared.opens(bob)
        events = await browser.follow("/events")
        socket = await shared.http.ws_connect(
            f"{api.url}/socket", headers=browser.sends({"origin": f"http://{browser.host}"})
        )
        await socket.receive()
        await shared.ada.put(place, {"users": [], "groups": []})
        assert (await browser.get("/")).status == 404
        async with asyncio.timeout(30):
            with pytest.raises(aiohttp.ClientError):
                await events.read()
            assert (await socket.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)


async def test_whoever_is_suspended_or_signed_out_sees_no_more(shared: Shared) -> None:
    api = shared.api
    session = await api.pool.fetchval(
        "INSERT INTO sessions (hash, user_id, address, user_agent, expires_at) "
        "VALUES ('\\x01', $1, '', '', now() + interval '1 day') RETURNING id",
        shared.ada.id,
    )
    mine = Preview(
        ChatId(UUID(shared.chat)), shared.workspace, PORT, shared.ada.id, shared.ada.organisation_id, session, ""
    )
    previews = api.services.previews
    assert await previews.holds(mine)
    await api.pool.execute("DELETE FROM sessions WHERE id = $1", session)
    assert not await previews.holds(mine)
    browser = await shared.opens(shared.ada)
    assert (await browser.get("/")).status == 200
    await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", shared.ada.id)
    assert (await browser.get("/")).status == 404


async def test_nothing_of_this_server_answers_on_a_previews_origin(shared: Shared) -> None:
    browser = await shared.opens(shared.ada)
    for path in ("/api/v1/me", "/metrics", "/healthz", "/v1/models", "/preview/x/"):
        said = await (await browser.get(path, authorization=f"Bearer {shared.ada.token}")).json()
        assert said["path"] == path
        assert "authorization" not in dict(said["headers"])


async def test_without_an_origin_a_preview_runs_in_a_sandbox_below_a_path(shared: Shared) -> None:
    url, isolated = await shared.url(shared.ada, host="perdure.example.com")
    assert not isolated
    at = f"{shared.api.url}{url}"
    cookie = "perdure_session=; other=1"
    headers = {"cookie": cookie, "authorization": "Basic eDp5", "referer": at, "sec-fetch-dest": "iframe"}
    answer = await shared.fetch(f"{url}page?x=1", headers=headers)
    said = await answer.json(content_type=None)
    assert said["path"] == "/page?x=1"
    assert not {"cookie", "authorization", "referer"} & {name for name, _ in said["headers"]}
    assert answer.headers.getall("content-security-policy")[-1].startswith("sandbox allow-scripts ")
    assert "allow-same-origin" not in str(answer.headers)
    assert "set-cookie" not in answer.headers
    assert not {"clear-site-data", "strict-transport-security"} & {name.lower() for name in answer.headers}
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["referrer-policy"] == "no-referrer"
    led = await shared.fetch(f"{url}leads")
    assert led.headers["location"] == f"{url}there?x=1"
    asked = {"origin": "null", "access-control-request-method": "PUT", "access-control-request-headers": "x-a"}
    assert (await shared.fetch(url, "OPTIONS", headers=asked)).status == 204
    async with shared.http.ws_connect(f"{at}socket", headers={"origin": "null"}) as socket:
        await socket.receive()
        await socket.send_str("hi")
        assert await socket.receive_str() == "hi"
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await shared.http.ws_connect(f"{at}socket", headers={"origin": shared.api.url})


async def test_a_window_in_the_sandbox_is_for_whoever_asked_for_it(shared: Shared) -> None:
    url, _ = await shared.url(shared.ada, host="perdure.example.com")

    async def status(**headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await shared.fetch(url, headers=named)).status

    async def session(person: Person) -> str:
        secret = mint(SESSION_PREFIX)
        await shared.api.pool.execute(
            "INSERT INTO sessions (hash, user_id, address, user_agent, expires_at) "
            "VALUES ($1, $2, '', '', now() + interval '1 day')",
            digest(secret),
            person.id,
        )
        return f"perdure_session={secret}"

    async with await shared.api.person("mallory") as mallory:
        hers, others = await session(shared.ada), await session(mallory)
    assert await status(cookie=hers, sec_fetch_dest="document") == 200
    assert await status(cookie=others, sec_fetch_dest="document") == 404
    assert await status(cookie=others, sec_fetch_dest="iframe") == 404
    assert await status(sec_fetch_dest="document") == 404
    assert await status(sec_fetch_dest="script", sec_fetch_site="cross-site") == 200
    # The server's own page never runs what a workspace serves, whatever it was made to name.
    assert await status(cookie=hers, sec_fetch_dest="script", sec_fetch_site="same-origin") == 403


async def test_what_does_not_listen_says_so_and_a_stopped_workspace_stays_stopped(shared: Shared) -> None:
    url, _ = await shared.url(shared.ada, 9, host="perdure.example.com")
    silent = await shared.fetch(url)
    assert (silent.status, "nothing in this workspace listens on port 9" in await silent.text()) == (404, True)
    browser = await shared.opens(shared.ada)
    await shared.ada.post(f"/workspaces/{shared.workspace}/stop")
    assert (await browser.get("/")).status == 409
    assert (await shared.ada.get(f"/workspaces/{shared.workspace}")).json["status"] == "stopped"
