"""What a parked chat is answered."""

from uuid import UUID

from perdure.core.chat import ActionKind
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role, ToolCall
from perdure.machine.transitions.actions import EnterRequiresAction
from perdure.machine.transitions.driving import CommitStep
from perdure.testing.served_api import Person, ServedApi

HELLO = {"content": [{"type": "text", "text": "Hello"}]}


async def asking(api: ServedApi, person: Person, *tools: str) -> str:
    """The path of a chat whose agent asks whether it may run these tools."""
    chat = (await person.post("/chats", HELLO)).json["chat"]["id"]
    calls = NewMessage(role=Role.ASSISTANT, parts=tuple(ToolCall(tool, tool, "{}") for tool in tools))
    park = EnterRequiresAction(ActionKind.APPROVAL)
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


async def test_a_second_decision_about_a_call_is_a_conflict_that_says_so(api: ServedApi, ada: Person) -> None:
    path = await asking(api, ada, "write", "erase")
    approve, deny = ({"decisions": [{"call_id": "write", "decision": what}]} for what in ("approve", "deny"))
    await ada.post(f"{path}/action", approve)
    second = await ada.post(f"{path}/action", deny)
    assert (second.status, second.json["message"]) == (409, "Call write has already been decided: approve.")
