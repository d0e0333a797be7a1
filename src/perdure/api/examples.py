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
    "fork": {"after": 1, "content": _SAY},
    "share": {"users": [], "groups": []},
    "create_workspace": {"template": "blank"},
    "start_workspace": {},
    "stop_workspace": {},
    "refresh_context": {},
    "add_user": {"email": "grace@example.com", "name": "Grace", "role": "member"},
    "change_user": {"role": "admin"},
    "add_group": {"name": "Docs team", "members": []},
    "change_group": {"name": "Documentation"},
    "add_token": {"name": "CI", "scopes": ["chat"], "expires_in_days": 90},
    "add_provider": {
        "name": "Anthropic",
        "dialect": "anthropic_messages",
        "base_url": "https://api.anthropic.com",
        "options": {"vendor": "anthropic"},
    },
    "change_provider": {"enabled": False},
    "test_provider": {},
    "put_key": {"key": "sk-example", "personal": True},
    "add_model": {
        "name": "sonnet",
        "provider_id": "7f2d9b60-6f5e-4c6a-9d3e-1f2a3b4c5d6e",
        "model": "claude-sonnet-4-5",
        "default": True,
        "options": {"price": {"input": 3_000_000, "output": 15_000_000}},
    },
    "change_model": {"default": True},
    "put_setting": {"value": "You work for Example Ltd."},
    "put_budgets": {"user": 50_000_000, "organisation": 2_000_000_000},
    "put_personal_setting": {"value": "Answer briefly."},
    "mark_read": {},
    "mark_unread": {},
    "mark_all_read": {},
    "act": {"decisions": [{"call_id": "call_1", "decision": "approve"}]},
}
