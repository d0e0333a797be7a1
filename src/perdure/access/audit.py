"""Noting what people did: every change by an admin, and every share."""

from typing import Any

import msgspec

from perdure.access.rows import ActorRows
from perdure.store.tables import audit


async def record(rows: ActorRows, action: str, subject: object = "", **detail: Any) -> None:
    """One line of the audit log. Details never hold a secret."""
    text = msgspec.json.encode(detail, enc_hook=str).decode()
    await audit.record(rows, action, str(subject), text)
