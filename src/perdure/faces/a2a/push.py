"""Who is told how a task goes: at an address that they name, also when they are gone."""

import secrets
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from perdure.api.caller import Caller
from perdure.config.webhooks import WEBHOOK_PURPOSE
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.faces.a2a.task import task_id
from perdure.faces.asked import TurnId
from perdure.store.tables import task_pushes
from perdure.store.tables.task_pushes import PushRow

_Header = Annotated[str, Meta(max_length=4_000, pattern=r"^[\x20-\x7e]*\Z")]
_Name = Annotated[str, Meta(max_length=200)]


class PushAuthentication(Struct, frozen=True, kw_only=True, rename="camel"):
    scheme: _Header
    credentials: _Header = ""


class PushConfig(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    url: str
    id: _Name = ""
    task_id: str = ""
    token: _Header = ""
    authentication: PushAuthentication | None = None


class PushParams(Struct, frozen=True, kw_only=True, rename="camel"):
    """Which push of which task is meant."""

    task_id: str
    id: str = ""


class PushSecret(Struct, frozen=True, omit_defaults=True):
    """What shows the receiver that it is us."""

    token: str = ""
    scheme: str = ""
    credentials: str = ""

    @property
    def headers(self) -> dict[str, str]:
        told = {"X-A2A-Notification-Token": self.token} if self.token else {}
        if self.scheme and self.credentials:
            told["Authorization"] = f"{self.scheme} {self.credentials}"
        return told


_secret = msgspec.json.Decoder(PushSecret)


def headers_of(opened: str) -> dict[str, str]:
    """What shows the receiver that it is us."""
    return _secret.decode(opened).headers


async def add(caller: Caller, turn: TurnId, config: PushConfig) -> dict[str, Any]:
    """Have somebody told of a turn; again under the same name, at another address."""
    if reachable(config.url) is None:
        raise InvalidInput("The push cannot be delivered.", Validation("url", "is not an address"))
    name = config.id or secrets.token_hex(8)
    authentication = config.authentication or PushAuthentication(scheme="")
    secret = PushSecret(config.token, authentication.scheme, authentication.credentials)
    sealed = caller.services.keyring.seal(msgspec.json.encode(secret).decode(), WEBHOOK_PURPOSE)
    if await task_pushes.add(caller.rows, *turn, name, config.url, sealed) is None:
        raise InvalidInput("Too many tasks are told of. Wait until some are over.")
    caller.announcements.webhooks_changed()
    return _shown(turn, name, config.url, secret)


async def listed(caller: Caller, turn: TurnId) -> list[dict[str, Any]]:
    return [_of_row(caller, turn, row) for row in await task_pushes.listed(caller.rows, *turn)]


async def one(caller: Caller, turn: TurnId, name: str) -> dict[str, Any]:
    found = next((each for each in await listed(caller, turn) if each["id"] == name), None)
    if found is None:
        raise NotFound(f"There is no push {name!r} for this task. A task that is over has none.")
    return found


async def remove(caller: Caller, turn: TurnId, name: str) -> None:
    if await task_pushes.remove(caller.rows, *turn, name) is None:
        raise NotFound(f"There is no push {name!r} for this task. A task that is over has none.")
    caller.announcements.webhooks_changed()


def _of_row(caller: Caller, turn: TurnId, row: PushRow) -> dict[str, Any]:
    secret = _secret.decode(caller.services.keyring.open(row.secret, WEBHOOK_PURPOSE))
    return _shown(turn, row.name, row.url, secret)


def _shown(turn: TurnId, name: str, url: str, secret: PushSecret) -> dict[str, Any]:
    """What was asked for, without the credentials."""
    told: dict[str, Any] = {"id": name, "taskId": task_id(turn), "url": url}
    if secret.token:
        told["token"] = secret.token
    if secret.scheme:
        told["authentication"] = {"scheme": secret.scheme}
    return told
