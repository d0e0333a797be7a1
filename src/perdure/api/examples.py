"""Bodies that show how each route is used. The tests send every one of them."""

from collections.abc import Mapping
from typing import Any

_SAY: Any = [{"type": "text", "text": "List the files, please."}]

EXAMPLES: Mapping[str, Any] = {
    "login": {"email": "ada@example.com", "password": "correct horse battery"},
    "change_me": {"name": "Ada", "preferences": {"theme": "dark"}},
    "create_chat": {"content": _SAY, "labels": {"team": "docs"}},
    "describe_chat": {"title": "Files of the project", "pin": 1},
    "send_message": {"content": _SAY, "busy": "queue"},
    "edit_message": {"content": _SAY},
    "edit_queued": {"content": _SAY},
    "reorder_queue": {"order": [2, 1]},
    "promote_queued": {},
    "interrupt": {},
    "retry": {},
    "compact": {},
    "reconcile": {},
    "tool_results": {"results": [{"call_id": "call_1", "output": {"temperature": 21}}]},
    "act": {"decisions": [{"call_id": "call_1", "decision": "approve"}]},
}
