"""What a parked chat is answered."""

from uuid import UUID

from perdure.core.chat import ActionKind
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role
from perdure.core.parts import ToolCall
from perdure.machine.transitions.actions import EnterRequiresAction
from perdure.machine.transitions.steps import CommitStep
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
    refused = await ada.post(f"{path}/action", {"decisions": [write]})
    assert (refused.status, refused.json["message"]) == (400, "Call erase has no result.")
    assert (await ada.get(path)).json["settings"] == {}
    taken = await ada.post(f"{path}/action", {"decisions": [write, {**erase, "decision": "deny"}]})
    assert (taken.status, taken.json["chat"]["status"]) == (200, "running")
    assert (await ada.get(path)).json["settings"] == {"approvals": {"write": "auto"}}
