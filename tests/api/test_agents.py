"""A chat's agents over HTTP: listed, paid for, heard of, stopped."""

from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from perdure.access.actor import Role as Rank
from perdure.core.action import ActionKind, CallKind
from perdure.core.card import NewCard
from perdure.core.chat import Status
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import NewMessage, Role, Text, ToolCall, ToolResult, Usage
from perdure.machine.transitions import CommitStep, Create, EnterRequiresAction, FinishTurn
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello"}]


async def root_of(person: Person) -> ChatId:
    return ChatId(UUID((await person.post("/chats", {"content": HELLO})).json["chat"]["id"]))


async def agent_of(
    api: ServedApi, person: Person, parent: ChatId, root: ChatId, kind: str = "general", **card: Any
) -> ChatId:
    """An agent at work."""
    child = ChatId(uuid4())
    new = NewCard(
        organisation_id=person.organisation_id,
        owner_id=person.id,
        title="An agent",
        parent_id=parent,
        root_id=root,
        agent_type=kind,
        **card,
    )
    asked = NewMessage(role=Role.USER, parts=(Text("look"),), created_by=person.id)
    await api.services.machine.create(child, new, [Create((asked,))])
    return child


async def says(api: ServedApi, chat: ChatId, text: str, cost: int) -> None:
    answer = NewMessage(role=Role.ASSISTANT, parts=(Text(text),), usage=Usage(input=10, output=5), cost=cost)
    await api.services.machine.change(chat, CommitStep(messages=(answer,), continues=False, spend=cost), FinishTurn())


async def waits_for(api: ServedApi, parent: ChatId, *agents: ChatId) -> None:
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("wait", "wait_agent", "{}"),))
    step = CommitStep(messages=(call,), call_kinds={"wait_agent": CallKind.CHILDREN})
    park = EnterRequiresAction(ActionKind.CHILDREN, children=tuple(str(agent) for agent in agents))
    await api.services.machine.change(parent, step, park)


async def test_a_tree_costs_what_its_chats_cost(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    child = await agent_of(api, ada, root, root)
    grandchild = await agent_of(api, ada, child, root)
    for chat, cost in ((root, 1), (child, 20), (grandchild, 300)):
        await says(api, chat, "done", cost)
    costs = [(await ada.get(f"/chats/{chat}/cost")).json for chat in (root, child, grandchild)]
    assert [cost["cost"] for cost in costs] == [321, 320, 300]
    assert {line["chat_id"]: line["cost"] for line in costs[0]["items"]} == {
        str(root): 1,
        str(child): 20,
        str(grandchild): 300,
    }
    children = (await ada.get(f"/chats/{root}/children")).json["items"]
    assert [card["id"] for card in children] == [str(child)]


async def test_a_steered_parent_is_told_where_its_agents_stand(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    done, busy = [await agent_of(api, ada, root, root) for _ in range(2)]
    await waits_for(api, root, done, busy)
    await says(api, done, "found it", 1)
    read = (await ada.get(f"/chats/{root}")).json
    assert read["action"]["children"] == [str(done), str(busy)]
    sent = await ada.post(f"/chats/{root}/messages", {"content": HELLO, "busy": "steer"})
    assert (sent.status, sent.json["chat"]["status"]) == (202, "running")
    result, steer = (await ada.get(f"/chats/{root}/messages?after=2")).json["items"]
    assert steer["parts"] == HELLO
    agents = msgspec.json.decode(result["parts"][0]["result"])["agents"]
    assert [(agent["status"], agent.get("report")) for agent in agents] == [("finished", "found it"), ("running", None)]


async def test_an_edit_stops_the_agents_that_were_started_for_what_it_hides(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    agent = await agent_of(api, ada, root, root)
    assert (await ada.put(f"/chats/{root}/messages/1", {"content": HELLO})).status == 202
    assert (await api.services.machine.load(agent)).status is Status.INTERRUPTING


@pytest.mark.parametrize("way", ["send", "promote"])
async def test_speaking_up_before_a_parent_that_waits_stops_its_agents(api: ServedApi, ada: Person, way: str) -> None:
    root = await root_of(ada)
    agent = await agent_of(api, ada, root, root)
    await waits_for(api, root, agent)
    if way == "send":
        sent = await ada.post(f"/chats/{root}/messages", {"content": HELLO, "busy": "interrupt"})
        assert sent.status == 202
    else:
        queued = await ada.post(f"/chats/{root}/messages", {"content": HELLO})
        assert (await api.services.machine.load(agent)).status is Status.RUNNING
        number = queued.json["queued"]["number"]
        assert (await ada.post(f"/chats/{root}/queue/{number}/promote")).status == 200
    assert (await api.services.machine.load(agent)).status is Status.INTERRUPTING


async def set_up(api: ServedApi, *slugs: str) -> None:
    """MCP servers that chats may choose."""
    async with await api.person("admin", role=Rank.ADMIN) as admin:
        for slug in slugs:
            assert (await admin.post("/mcp-servers", {"slug": slug, "url": "http://127.0.0.1:9/mcp"})).status == 201


async def test_a_server_that_nobody_set_up_cannot_be_chosen(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    await set_up(api, "files")
    refused = await ada.patch(f"/chats/{root}", {"mcp_servers": ["files", "flies"]})
    assert (refused.status, refused.json["validations"][0]["field"]) == (400, "mcp_servers[1]")
    assert "The MCP servers are: files." in refused.json["message"]
    assert (await ada.patch(f"/chats/{root}", {"mcp_servers": ["files"]})).status == 200


async def test_an_agent_that_explores_gains_no_servers(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    await set_up(api, "files", "web", "mail")
    agent = await agent_of(api, ada, root, root, "explore", settings='{"mcp_servers":["files","web"]}')
    assert (await ada.patch(f"/chats/{agent}", {"mcp_servers": ["files", "mail"]})).status == 400
    assert (await ada.patch(f"/chats/{agent}", {"mcp_servers": ["files"]})).status == 200
    assert (await ada.patch(f"/chats/{agent}", {"mcp_servers": ["files", "web"]})).status == 400
    view = await ada.get(f"/chats/{agent}")
    assert view.json["settings"] == {"mcp_servers": ["files"]}


async def test_advice_is_paid_for_under_its_own_name(api: ServedApi, ada: Person) -> None:
    root = await root_of(ada)
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("ask", "advisor", "{}"),), usage=Usage(input=1), cost=3)
    result = ToolResult("ask", "advisor", "{}")
    advice = NewMessage(role=Role.TOOL, parts=(result,), model=ModelName("wise"), usage=Usage(input=7), cost=40)
    await api.services.machine.change(root, CommitStep(messages=(call,)), CommitStep(messages=(advice,)))
    cost = (await ada.get(f"/chats/{root}/cost")).json
    assert cost["cost"] == 43
    assert {line["purpose"]: (line["model"], line["cost"]) for line in cost["items"]} == {
        "answer": (None, 3),
        "advisor": ("wise", 40),
    }
