"""Noting what people did: every change by an admin, and every share."""

from typing import Any

import msgspec

from perdure.access.actor import Actor
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.core.addresses import origin
from perdure.store.tables import audit

ADDRESSES = frozenset({"url", "base_url", "command"})
"""Details that only those may read who configure what they lead to: an address may hold credentials."""


def readable(detail: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What somebody who may read the log may read of an entry."""
    if Permission.CONFIGURE in actor.permissions:
        return detail
    return {name: value for name, value in detail.items() if name not in ADDRESSES}


async def record(rows: ActorRows, action: str, subject: object = "", **detail: Any) -> None:
    """One line of the audit log. Details never hold a secret: of an address only whose it is."""
    shown = {name: _shown(value) for name, value in detail.items()}
    text = msgspec.json.encode(shown, enc_hook=str).decode()
    await audit.record(rows, action, str(subject), text)


def _shown(value: object) -> object:
    return origin(value) if isinstance(value, str) and "://" in value else value
