"""A pull request from the first clone to a reviewer's comment, opened once, whatever dies on the way."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.workspaces.egress.forge import API, HOST, Forge, open_forge

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import seen

TOKEN = "t0ken-of-ada-at-the-forge"
ENDING = str(Path(__file__).with_name("ending.py"))
POINTS = (
    "tools.attempt_recorded",
    "tools.started",
    "tools.ran",
    "tools.journaled",
    "tools.finished",
    "tools.committed",
)
# It creates the workspace, clones and pushes, and opens: the third batch is the one worth dying in.
THIRD = 3


def call(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]]"


def recipe(forge: Forge) -> str:
    return f"""
description = "a repository at the forge"
network = "allow"
[[rules]]
host = "{HOST}"
scheme = "http"
port = {forge.port}
paths = ["/team/app.git/*"]
networks = ["127.0.0.0/8"]
credential = {{ secret = "forge", kind = "basic" }}
"""


def work(forge: Forge, *then: str) -> str:
    pushes = (
        f"git clone -q {forge.origin} app && cd app && git config user.name Ada && git config user.email a@example.com"
        " && git switch -qc work && echo more > more.txt && git add . && git commit -qm more"
        " && git push -qu origin work"
    )
    opens = call("open_pull_request", title="Say more", body="Because less was too little.")
    steps = [call("create_workspace", template="fenced"), call("execute", command=pushes, timeout=60), opens, *then]
    return " [[then]] ".join([*steps, "[[say:3 tokens]]"])


@asynccontextmanager
async def standing(database_url: str, pool: Pool, folder: Path, **options: Any) -> AsyncGenerator[tuple[Fleet, Forge]]:
    """Two replicas and a forge, and a person whose token there is stored."""
    async with AsyncExitStack() as stack:
        forge = await stack.enter_async_context(open_forge(folder / "forge", TOKEN))
        environment = {"PERDURE_FORGE_URL": f"{forge.url}{API}"}
        fleet = await stack.enter_async_context(
            open_fleet(database_url, pool, folder, environment=environment, **options)
        )
        assert (await fleet.person.put("/templates/fenced", {"recipe": recipe(forge)})).status == 200
        assert (await fleet.person.put("/me/network/secrets/forge", {"secret": TOKEN})).status == 200
        yield fleet, forge


async def results(fleet: Fleet, chat: str) -> list[str]:
    page = (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).json
    return [part["result"] for message in page["items"] for part in message["parts"] if part["type"] == "tool_result"]


async def opened_once(fleet: Fleet, forge: Forge, chat: str) -> None:
    """The forge has one, the agent knows it, and nobody saw the token."""
    assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
    answers = await results(fleet, chat)
    assert [pull["title"] for pull in forge.pulls] == ["Say more"], answers
    assert answers[2].splitlines()[-1] == f"{forge.url}/team/app/pull/1"
    assert forge.wrong == []
    assert TOKEN.encode() not in (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).body


async def test_an_agent_pushes_opens_and_is_handed_what_a_reviewer_says(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with standing(database_url, pool, tmp_path) as (fleet, forge):
        halves = f"{TOKEN[:4]}''{TOKEN[4:]}"
        places = "/workspace /home /tmp /run /etc /proc/[0-9]*/environ /proc/[0-9]*/mem"
        looks = call("execute", command=f"printf %s {halves} | grep -rlaFf - {places} 2>/dev/null; true", timeout=60)
        again = call("open_pull_request", title="Once more", body="")
        chat = await fleet.asks(1, work(forge, again, looks))
        await opened_once(fleet, forge, chat)
        answers = await results(fleet, chat)
        assert answers[3] == f"It was open already: pull request #1: Say more\n{forge.url}/team/app/pull/1"
        assert "t0ken" not in answers[4]
        assert "/" not in answers[4], answers[4]
        card = await fleet.until(1, chat, lambda card: card.get("diff", {}).get("pull_request_number") == 1)
        assert card["diff"]["pull_request_state"] == "open"
        forge.comments = [
            {
                "user": {"login": "bob"}, "body": "Why more?", "path": "more.txt", "line": 1,
                "created_at": "2026-01-01", "html_url": f"{forge.url}/team/app/pull/1#discussion_r1",
            }
        ]  # fmt: skip
        forge.reviews = [
            {"user": {"login": "eve"}, "state": "COMMENTED", "body": "Nice.", "submitted_at": "2026-01-02"},
            {"user": {"login": "eve"}, "state": "APPROVED", "body": "", "submitted_at": "2026-01-03"},
        ]
        told = (await fleet.at(1).get(f"/chats/{chat}/review-comments")).json["items"]
        assert [(each["author"], each["body"], each.get("path"), each.get("line")) for each in told] == [
            ("bob", "Why more?", "more.txt", 1),
            ("eve", "Nice.", None, None),
        ]
        assert forge.wrong == []


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("request_number", [1, 2, 3])
async def test_it_is_opened_once_though_the_replica_dies_at_a_request(
    moment: str, request_number: int, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with standing(database_url, pool, tmp_path) as (fleet, forge):

        def dies() -> None:
            if len(forge.asked) == request_number:
                fleet.replicas[0].kill()

        setattr(forge, moment, dies)
        chat = await fleet.asks(0, work(forge))
        await fleet.is_dead(0)
        await opened_once(fleet, forge, chat)


@pytest.mark.parametrize("point", POINTS)
async def test_it_is_opened_once_though_the_replica_dies_between(
    point: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    first = (ENDING, point, str(THIRD), "SIGKILL")
    async with standing(database_url, pool, tmp_path, first=first) as (fleet, forge):
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, work(forge))
        await fleet.is_dead(0)
        await opened_once(fleet, forge, chat)


async def test_what_keeps_it_from_being_opened_is_told_in_words(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with standing(database_url, pool, tmp_path) as (fleet, forge):
        opens = call("open_pull_request", title="Say more", body="")
        on_main = call("execute", command=f"git clone -q {forge.origin} app", timeout=60)
        branched = call("execute", command="cd app && git switch -qc work")
        pushed = call("execute", command="cd app && git push -qu origin work", timeout=60)
        steps = [call("create_workspace", template="fenced"), opens, on_main, opens, branched, opens, pushed, opens]
        chat = await fleet.asks(1, " [[then]] ".join([*steps, "[[say:3 tokens]]"]))
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        answers = await results(fleet, chat)
        said = [answers[index] for index in (1, 3, 5, 7)]
        wanted = ("no Git repository", "needs a branch of its own", "git push -u origin work", "No commits between")
        assert [want in told for want, told in zip(wanted, said, strict=True)] == [True] * 4, said
        forge.token = "another"
        said_again = {"content": [{"type": "text", "text": f"{opens} [[then]] [[say:1 tokens]]"}]}
        assert (await fleet.at(1).post(f"/chats/{chat}/messages", said_again)).status == 202
        await fleet.until(1, chat, lambda card: card["status"] == "waiting")
        await seen(lambda: _expired(fleet, chat), within=timedelta(seconds=30))
        assert forge.pulls == []


async def _expired(fleet: Fleet, chat: str) -> bool:
    return "expired or was revoked" in (await results(fleet, chat))[-1]
