"""What others may do in a chat that is shared with them, whose words are whose, and who decides."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from tests.api.test_control import asking

from perdure.access.actor import Role
from perdure.core.ids import ChatId
from perdure.machine.transitions import FinishInterruption
from perdure.testing.served_api import Person, Response, ServedApi


def saying(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


async def share(owner: Person, path: str, **people: tuple[Person, str]) -> None:
    users = [str(person.id) for person, _ in people.values()]
    roles = {str(person.id): role for person, role in people.values() if role != "read"}
    assert (await owner.put(f"{path}/acl", {"users": users, "roles": roles})).json["roles"] == roles


@dataclass(frozen=True, slots=True)
class Team:
    """A chat of Ada's in which Will writes, Ann approves and Rita reads."""

    api: ServedApi
    ada: Person
    will: Person
    ann: Person
    rita: Person

    async def chat(self) -> str:
        path = f"/chats/{(await self.ada.post('/chats', saying('Hello'))).json['chat']['id']}"
        await self.share(path)
        return path

    async def asking(self, *tools: str, approvers: str | None = None) -> str:
        """A chat whose agent asks whether it may run these tools, at work for Will."""
        path = await asking(self.api, self.ada, *tools)
        chat_id = path.split("/")[-1]
        if approvers is not None:
            await self.api.pool.execute(
                "UPDATE chats SET action = jsonb_set(action::jsonb, '{approvers}', to_jsonb($2::text)) WHERE id = $1",
                UUID(chat_id),
                approvers,
            )
        await self.api.pool.execute("UPDATE chats SET asked_by = $2 WHERE id = $1", UUID(chat_id), self.will.id)
        await self.share(path)
        return path

    async def share(self, path: str) -> None:
        await share(self.ada, path, will=(self.will, "write"), ann=(self.ann, "approve"), rita=(self.rita, "read"))


@pytest.fixture
async def team(api: ServedApi, ada: Person) -> AsyncIterator[Team]:
    async with AsyncExitStack() as stack:
        others = [await stack.enter_async_context(await api.person(name)) for name in ("will", "ann", "rita")]
        yield Team(api, ada, *others)


async def decide(person: Person, path: str, call: str, decision: str = "approve") -> Response:
    return await person.post(f"{path}/action", {"decisions": [{"call_id": call, "decision": decision}]})


async def test_who_writes_is_named_in_the_history_the_queue_and_the_export(team: Team) -> None:
    path = await team.chat()
    assert (await team.rita.post(f"{path}/messages", saying("Me too"))).status == 403
    sent = await team.will.post(f"{path}/messages", saying("From Will"))
    assert (sent.status, sent.json["queued"]["author"], sent.json["queued"]["created_by"]) == (
        202,
        "will",
        str(team.will.id),
    )
    (queued,) = (await team.ada.get(path)).json["queue"]
    assert (queued["author"], queued["created_by"]) == ("will", str(team.will.id))
    (first,) = (await team.rita.get(f"{path}/messages")).json["items"]
    assert (first["author"], first["created_by"]) == ("ada", str(team.ada.id))


async def test_a_queued_message_runs_as_its_author_and_says_so(team: Team) -> None:
    path = await team.chat()
    chat_id = ChatId(UUID(path.split("/")[-1]))
    await team.will.post(f"{path}/messages", saying("From Will"))
    assert (await team.api.services.machine.load(chat_id)).asked_by == team.ada.id
    assert (await team.ann.post(f"{path}/interrupt")).status == 200
    committed = await team.api.services.machine.change(chat_id, FinishInterruption())
    assert committed.chat.asked_by == team.will.id
    assert (await team.api.services.machine.load(chat_id)).asked_by == team.will.id
    told = (await team.ada.get(f"{path}/messages")).json["items"]
    assert [(each.get("author"), each["parts"][0]["text"]) for each in told] == [
        ("will", "From Will"), ("ann", "ann stopped this turn."), ("ada", "Hello")
    ]  # fmt: skip
    exported = (await team.rita.get(f"{path}/export?format=markdown")).body.decode()
    assert "## will, " in exported
    assert "## ada, " in exported


async def test_nobody_changes_what_somebody_else_says(team: Team) -> None:
    path = await team.chat()
    await team.will.post(f"{path}/messages", saying("From Will"))
    await team.ann.post(f"{path}/messages", saying("From Ann"))
    words = saying("Something else")
    assert (await team.ann.put(f"{path}/queue/1", words)).status == 403
    assert (await team.ada.put(f"{path}/queue/1", words)).status == 403
    assert (await team.ann.delete(f"{path}/queue/1")).status == 403
    assert (await team.will.put(f"{path}/queue/1", words)).status == 200
    assert (await team.will.put(f"{path}/messages/1", words)).status == 403
    # The owner takes back what is their own, and the others' messages stay where they are.
    edited = await team.ada.put(f"{path}/messages/1", saying("Hello again"))
    assert (edited.status, edited.json["message"]["author"]) == (202, "ada")
    assert [queued["author"] for queued in (await team.ada.get(path)).json["queue"]] == ["will", "ann"]
    assert (await team.ada.delete(f"{path}/queue/2")).status == 204


async def test_only_those_approve_who_may_and_whoever_asked_may_refuse(team: Team) -> None:
    path = await team.asking("write", "send")
    assert (await decide(team.rita, path, "write")).status == 403
    assert (await decide(team.will, path, "write")).status == 403
    assert (await decide(team.ann, path, "write", "approve_always")).status == 403
    assert (await decide(team.will, path, "write", "deny")).status == 200
    (denied, _) = (await team.ada.get(path)).json["action"]["calls"]
    assert denied["decided_by"] == [{"id": str(team.will.id), "name": "will"}]
    assert (await decide(team.ann, path, "send")).json["chat"]["status"] == "running"
    (call,) = (await team.api.services.machine.load(ChatId(UUID(path.split("/")[-1])))).open_calls
    assert [each.name for each in call.cleared_by] == ["ann"]


async def test_the_author_alone_approves_where_that_is_settled(team: Team) -> None:
    path = await team.asking("write", approvers="author")
    assert [(await decide(person, path, "write")).status for person in (team.ann, team.ada)] == [403, 403]
    assert (await decide(team.will, path, "write")).json["chat"]["status"] == "running"


async def test_whoever_asked_does_not_approve_where_somebody_else_must(team: Team) -> None:
    path = await team.asking("write", approvers="not_author")
    chat_id = UUID(path.split("/")[-1])
    await team.api.pool.execute("UPDATE chats SET asked_by = $2 WHERE id = $1", chat_id, team.ada.id)
    refused = await decide(team.ada, path, "write")
    assert (refused.status, refused.json["message"]) == (403, "You asked for this. Somebody else must approve it.")
    assert (await decide(team.ann, path, "write")).json["chat"]["status"] == "running"


async def test_two_people_must_approve_and_one_may_refuse(team: Team) -> None:
    path = await team.asking("write", "send", approvers="two_people")
    assert (await decide(team.ann, path, "write")).json["chat"]["status"] == "requires_action"
    again = await decide(team.ann, path, "write")
    assert (again.status, again.json["message"]) == (
        409,
        "You have approved this call of write. A second person must, too.",
    )
    assert (await decide(team.ada, path, "write", "approve_always")).status == 403
    assert (await decide(team.ada, path, "write")).json["chat"]["status"] == "requires_action"
    assert (await decide(team.ann, path, "send", "deny")).json["chat"]["status"] == "running"
    open_calls = (await team.api.services.machine.load(ChatId(UUID(path.split("/")[-1])))).open_calls
    assert [(call.call_id, [each.name for each in call.cleared_by]) for call in open_calls] == [
        ("write", ["ann", "ada"])
    ]


async def test_an_export_says_who_decided_where_it_was_not_the_only_one_who_wrote(team: Team) -> None:
    for person, named in ((team.ann, True), (team.ada, False)):
        path = await team.asking("write")
        await team.api.pool.execute("UPDATE chats SET asked_by = $1", team.ada.id)
        assert (await decide(person, path, "write", "deny")).status == 200
        exported = (await team.ada.get(f"{path}/export?format=markdown")).body.decode()
        assert ("**write** failed, decided by ann" in exported) is named
        assert ("decided by" in exported) is named


async def test_of_two_who_decide_at_once_one_is_told_that_it_is_decided(team: Team) -> None:
    for _ in range(5):
        path = await team.asking("write")
        answers = await asyncio.gather(decide(team.ann, path, "write"), decide(team.ada, path, "write", "deny"))
        assert sorted(answer.status for answer in answers) == [200, 409]
        chat = await team.api.services.machine.load(ChatId(UUID(path.split("/")[-1])))
        approved = answers[0].status == 200
        assert [[each.name for each in call.cleared_by] for call in chat.open_calls] == ([["ann"]] if approved else [])


async def test_two_approvals_at_once_are_two_approvals(team: Team) -> None:
    path = await team.asking("write", approvers="two_people")
    answers = await asyncio.gather(*(decide(person, path, "write") for person in (team.ann, team.ada, team.ann)))
    assert sorted(answer.status for answer in answers) == [200, 200, 409]
    (call,) = (await team.api.services.machine.load(ChatId(UUID(path.split("/")[-1])))).open_calls
    assert sorted(each.name for each in call.cleared_by) == ["ada", "ann"]


async def test_a_link_carries_a_role_and_a_changed_one_reaches_those_who_came_by_it(team: Team) -> None:
    path = f"/chats/{(await team.ada.post('/chats', saying('Hello'))).json['chat']['id']}"
    link = (await team.ada.put(f"{path}/link", {"role": "write"})).json
    assert link["role"] == "write"
    await team.will.post(f"/links/{link['id']}")
    assert (await team.will.post(f"{path}/messages", saying("Hi"))).status == 202
    assert (await team.ada.put(f"{path}/link", {"role": "read"})).json == {**link, "role": "read"}
    assert (await team.will.post(f"{path}/messages", saying("Hi"))).status == 403
    people = (await team.will.get(f"{path}/people")).json["items"]
    assert [(each["name"], each["role"]) for each in people] == [("ada", "owner"), ("will", "read")]


async def test_a_group_and_a_person_of_it_may_do_the_most_that_either_may(team: Team) -> None:
    async with await team.api.person("root", Role.ADMIN) as admin:
        group = (await admin.post("/groups", {"name": "Team", "members": [str(team.rita.id)]})).json["id"]
    path = await team.chat()
    body = {"users": [str(team.rita.id)], "groups": [group], "roles": {group: "write"}}
    await team.ada.put(f"{path}/acl", body)
    assert (await team.rita.post(f"{path}/messages", saying("Hi"))).status == 202
    assert (await team.will.get(path)).status == 404
    people = (await team.rita.get(f"{path}/people")).json["items"]
    assert [(each["name"], each["role"]) for each in people] == [("ada", "owner"), ("rita", "write")]
