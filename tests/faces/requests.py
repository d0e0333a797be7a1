"""One request of everything that any protocol takes, about one chat; and what a token for chats must not change."""

from dataclasses import dataclass, field
from typing import Any

from tests.faces.test_mcp import ACCEPT

from perdure.core.ids import ChatId
from perdure.faces.mcp.wire import CAPABILITIES_KEY, MODERN, TASKS, VERSION_KEY
from perdure.store.pool import Pool


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that is fine as it is."""

    path: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict[str, str])


def asks(chat: ChatId) -> dict[str, Ask]:
    """One request of everything that any protocol takes."""
    turn = f"{chat.hex}{1:08x}"
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    function = {"name": "look", "description": "Looks.", "parameters": parameters}
    said = {"role": "user", "content": [{"type": "text", "text": "[[say:a]]"}]}
    called = {"role": "assistant", "content": "b", "tool_calls": [{"id": "c", "function": {"name": "look"}}]}
    message = {"messageId": "m", "role": "ROLE_USER", "contextId": str(chat), "parts": [{"text": "[[say:a]]"}]}
    picture = {"raw": "aGk=", "mediaType": "text/plain", "filename": "a.txt"}
    part = {"type": "text", "text": "[[say:a]]"}

    def rpc(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    found = {
        "completion": Ask(
            "/v1/chat/completions",
            {
                "model": "demo",
                "messages": [said, called, {"role": "tool", "tool_call_id": "c", "content": "d"}, said],
                "stream": True,
                "stream_options": {"include_usage": True},
                "tools": [{"type": "function", "function": function}],
                "reasoning_effort": "low",
                "user": "me",
                "n": 1,
            },
        ),
        "response": Ask(
            "/v1/responses",
            {
                "model": "demo",
                "input": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "[[say:a]]"}]},
                ],
                "instructions": "Be brief.",
                "stream": False,
                "background": False,
                "conversation": {"id": f"conv_{chat.hex}"},
                "tools": [{"type": "function", **function}],
                "reasoning": {"effort": "low"},
                "metadata": {"a": "b"},
                "user": "me",
            },
        ),
        "conversation": Ask("/v1/conversations", {"items": [{"type": "message", **said}], "metadata": {"a": "b"}}),
        "metadata": Ask(f"/v1/conversations/conv_{chat.hex}", {"metadata": {"a": "b"}}),
        "items": Ask(f"/v1/conversations/conv_{chat.hex}/items", {"items": [{"type": "message", **said}]}),
        "ai": Ask(
            "/ai/chat", {"id": str(chat), "messages": [{"id": "1", "role": "user", "parts": [part]}], "model": "demo"}
        ),
        "ag-ui": Ask(
            "/ag-ui/demo",
            {
                "threadId": str(chat),
                "runId": "r",
                "messages": [{"id": "1", "role": "user", "content": [part]}],
                "tools": [function],
            },
        ),
        "a2a": Ask("/a2a/demo", rpc("SendMessage", message=message, configuration={"returnImmediately": True})),
        "a2a file": Ask(
            "/a2a/demo", rpc("SendStreamingMessage", message={**message, "parts": [picture, {"text": "a"}]})
        ),
        **{
            f"a2a {each}": Ask("/a2a/demo", rpc(each, id=turn)) for each in ("GetTask", "CancelTask", "SubscribeToTask")
        },
        "a2a push": Ask(
            "/a2a/demo",
            rpc(
                "CreateTaskPushNotificationConfig",
                taskId=turn,
                id="p",
                url="https://one.example/told",
                token="t",
                authentication={"scheme": "Bearer", "credentials": "c"},
            ),
        ),
        **{
            f"a2a {each}": Ask("/a2a/demo", rpc(f"{each}TaskPushNotificationConfig", taskId=turn, id="p"))
            for each in ("Get", "Delete")
        },
        "a2a List": Ask("/a2a/demo", rpc("ListTaskPushNotificationConfigs", taskId=turn)),
        "a2a answer": Ask(
            "/a2a/demo",
            rpc(
                "SendMessage",
                message={**message, "taskId": turn, "parts": [{"data": {"k": {"decision": "approve"}}}, {"text": "a"}]},
            ),
        ),
    }
    task = f"turn-{chat.hex}-1"
    calls: dict[str, dict[str, Any]] = {
        "begin_chat": {"message": "[[say:a]]", "model": "demo", "system_prompt": "Be brief.", "key": "k", "wait_s": 1},
        "continue_chat": {"chat_id": str(chat), "message": "[[say:a]]", "model": "demo", "key": "k", "wait_s": 1},
        "wait_for_chat": {"chat_id": str(chat), "wait_s": 1},
        "read_chat": {"chat_id": str(chat), "after": 0, "limit": 5},
        "stop_chat": {"chat_id": str(chat)},
        "list_chats": {"query": "a", "cursor": "", "limit": 5},
        "list_models": {},
    }
    methods: dict[str, dict[str, Any]] = {
        "tasks/get": {"taskId": task},
        "tasks/update": {"taskId": task, "inputResponses": {"k": {"action": "accept", "content": {"decision": "a"}}}},
        "tasks/cancel": {"taskId": task},
        "tasks/result": {"taskId": task},
        "tasks/list": {"cursor": ""},
        "subscriptions/listen": {"notifications": {"taskIds": [task]}},
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}},
        **{f"tools/call {name}": {"name": name, "arguments": arguments} for name, arguments in calls.items()},
    }
    meta: dict[str, Any] = {
        VERSION_KEY: MODERN,
        CAPABILITIES_KEY: {"extensions": {TASKS: {}}, "elicitation": {}},
        "progressToken": 1,
    }
    for name, params in methods.items():
        method = name.split(" ")[0]
        mirrored = {
            "accept": ACCEPT,
            "mcp-protocol-version": MODERN,
            "mcp-method": method,
            "mcp-name": params.get("taskId") or params.get("name") or "",
        }
        found[f"mcp {name}"] = Ask("/mcp", rpc(method, **params, _meta=meta), mirrored)
        found[f"mcp before {name}"] = Ask("/mcp", rpc(method, **params), {"accept": ACCEPT})
    return found


CHATS = {
    *(
        "background_responses",
        "budget_slices",
        "budgets",
        "chat_cards",
        "chats",
        "debug_runs",
        "departures",
        "face_notes",
    ),
    *("file_links", "files", "hook_deliveries", "idempotency_keys", "inbox", "journal", "messages", "outbox"),
    *("queued_messages", "read_markers", "replicas", "search_documents", "search_progress", "segments", "settled"),
    *("turn_traces", "webhooks", "workspace_contexts", "workspaces"),
}
"""The tables of what a chat is made of and leaves behind. A table that is new belongs to no chat until it is here."""


async def all_else(pool: Pool) -> dict[str, str]:
    """What is in all other tables; when a token was last used aside."""
    found = await pool.fetch(
        "SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    return {
        name: await pool.fetchval(
            f"SELECT coalesce(md5(string_agg((to_jsonb(t) - 'used_at')::text, '' ORDER BY t::text)), '') FROM {name} t"  # noqa: S608
        )
        for name in (row["name"] for row in found)
        if name not in CHATS
    }
