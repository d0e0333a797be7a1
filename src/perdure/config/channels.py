"""Channels of one person: what answers are posted with, and who they are there."""

import base64
import hashlib
import secrets

from perdure.access.actor import ActorRows, record
from perdure.access.github_app import read_app
from perdure.access.keyring import Keyring
from perdure.config.triggers import Channel
from perdure.config.webhooks import WEBHOOK_PURPOSE
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import TriggerId
from perdure.store.tables import channels
from perdure.store.tables.channels import ChannelLink

API_URLS = {Channel.GITHUB: "https://api.github.com", Channel.SLACK: "https://slack.com/api"}
TOLD = ("chat.finished", "chat.failed", "chat.needs_you")


class Links:
    """What leads from the actor to channels."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def open(self, trigger_id: TriggerId, channel: Channel, credential: str, api_url: str | None) -> None:
        """From now on the channel is told of the chats of its threads."""
        url = api_url or API_URLS[channel]
        if reachable(url) is None:
            raise InvalidInput("The channel cannot be reached.", Validation("api_url", "is not a valid address"))
        app = read_app(credential) if channel is Channel.GITHUB else None
        if app is None and any(each.isspace() for each in credential):
            raise InvalidInput("This is not a token.", Validation("credential", "must not have blanks"))
        sealed = self._keyring.seal(credential, WEBHOOK_PURPOSE)
        if await channels.open(self._rows, trigger_id, channel.value, url, sealed, TOLD) is None:
            raise NotFound("Trigger not found.")
        await record(self._rows, "channel.open", trigger_id, channel=channel, url=url)

    async def all(self) -> list[ChannelLink]:
        return await channels.links(self._rows)

    async def new_code(self) -> str:
        """What the actor says in a channel to be known there."""
        text = base64.b32encode(secrets.token_bytes(5)).decode()
        code = f"{text[:4]}-{text[4:]}"
        await channels.add_code(self._rows, hashlib.sha256(code.encode()).digest())
        await record(self._rows, "channel.code")
        return code

    async def remove(self, channel: str, external: str) -> None:
        if await channels.unlink(self._rows, channel, external) is None:
            raise NotFound("You have no such link.")
        await record(self._rows, "channel.unlink", external, channel=channel)
