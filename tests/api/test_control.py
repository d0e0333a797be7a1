"""What a parked chat is answered."""

from typing import Any
from uuid import UUID

from msgspec import json

from perdure.core.action import ActionKind, Question
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role, ToolCall
from perdure.machine.transitions import CommitStep, EnterRequiresAction
from perdure.testing.served_api import Person, Response, ServedApi

FORM = '{"type":"object","properties":{"cups":{"type":"integer"}},"required":["cups"]}'
QUESTIONS = (Question(0, "cups", "How many?", FORM),)
HELLO = {"content": [{"type": "text", "text": "Hello"}]}


async def asking(api: ServedApi, person: Person, *tools: str, kind: ActionKind = ActionKind.APPROVAL) -> str:
    """The path of a chat whose agent asks whether it may run these tools, or whose first call asks something."""
    chat = (await person.post("/chats", HELLO)).json["chat"]["id"]
    calls = NewMessage(role=Role.ASSISTANT, parts=tuple(ToolCall(tool, tool, "{}") for tool in tools))
    park = EnterRequiresAction(kind, questions=QUESTIONS if kind is ActionKind.ELICITATION else ())
    await api.services.machine.change(ChatId(UUID(chat)), CommitStep(messages=(calls,)), park)
    return f"/chats/{chat}"


async def test_a_tool_is_never_asked_about_again_only_once_the_answer_is_taken(api: ServedApi, ada: Person) -> None:
    path = await asking(api, ada, "write", "erase")
    write, erase = ({"call_id": tool, "decision": "approve_always"} for tool in ("write", "erase"))
    wrong = {"call_id": "neither", "decision": "deny"}
    refused = await ada.post(f"{path}/action", {"decisions": [write, wrong]})
    assert (refused.status, refused.json["message"]) == (400, "Call neither is not pending.")
    assert (await ada.get(path)).json["settings"] == {}
    taken = await ada.post(f"{path}/action", {"decisions": [write, {**erase, "decision": "deny"}]})
    assert (taken.status, taken.json["chat"]["status"]) == (200, "running")
    assert (await ada.get(path)).json["settings"] == {"approvals": {"write": "auto"}}


async def test_calls_are_decided_one_by_one_and_the_chat_goes_on_with_the_last(api: ServedApi, ada: Person) -> None:
    path = await asking(api, ada, "write", "erase", "send")
    approve = {"decisions": [{"call_id": "erase", "decision": "approve"}]}
    deny = {"decisions": [{"call_id": "write", "decision": "deny", "result": "Not in that folder."}]}
    kept = await ada.post(f"{path}/action", deny)
    assert (kept.status, kept.json["chat"]["status"]) == (200, "requires_action")
    assert (await ada.post(f"{path}/action", approve)).json["chat"]["status"] == "requires_action"
    calls = (await ada.get(path)).json["action"]["calls"]
    assert [(call["call_id"], call.get("decision")) for call in calls] == [
        ("write", "deny"), ("erase", "approve"), ("send", None)
    ]  # fmt: skip
    last = await ada.post(f"{path}/action", {"decisions": [{"call_id": "send", "decision": "approve"}]})
    assert last.json["chat"]["status"] == "running"
    (result,) = [
        part["result"]
        for message in (await ada.get(f"{path}/messages")).json["items"]
        for part in message["parts"]
        if part["type"] == "tool_result"
    ]
    assert result == "The user denied this call. Reason: Not in that folder."


async def test_what_a_call_asks_is_answered_by_what_fits_its_form(api: ServedApi, ada: Person) -> None:
    path = await asking(api, ada, "brew", kind=ActionKind.ELICITATION)
    told = (await ada.get(path)).json["action"]["calls"][0]["questions"]
    assert told == [{"key": "cups", "message": "How many?", "schema": json.decode(FORM)}]

    async def answers(said: Any, decision: str = "answer") -> Response:
        decided = {"call_id": "brew", "decision": decision, "answers": said}
        return await ada.post(f"{path}/action", {"decisions": [decided]})

    accepted: dict[str, Any] = {"action": "accept", "content": {"cups": 2}}
    misfits: tuple[Any, ...] = (
        {},
        {"cups": {"action": "accept"}},
        {"cups": {"action": "accept", "content": {}}},
        {"cups": {"action": "accept", "content": {"cups": "two"}}},
        {"cups": accepted, "other": accepted},
    )
    for wrong in misfits:
        assert (await answers(wrong)).status == 400, wrong
    assert (await answers({"cups": accepted}, "approve")).status == 409
    taken = await answers({"cups": accepted})
    assert (taken.status, taken.json["chat"]["status"]) == (200, "running")
    (call,) = (await api.services.machine.load(ChatId(UUID(path.removeprefix("/chats/"))))).open_calls
    assert json.decode(call.answers) == {"cups": accepted}


async def test_a_second_decision_about_a_call_is_a_conflict_that_says_so(api: ServedApi, ada: Person) -> None:
    path = await asking(api, ada, "write", "erase")
    approve, deny = ({"decisions": [{"call_id": "write", "decision": what}]} for what in ("approve", "deny"))
    await ada.post(f"{path}/action", approve)
    second = await ada.post(f"{path}/action", deny)
    assert (second.status, second.json["message"]) == (409, "This call of write has already been approved.")
