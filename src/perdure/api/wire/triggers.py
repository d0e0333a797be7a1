"""Triggers and their deliveries on the wire."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.access.roles import ShareRole
from perdure.access.webhook_signatures import Signing
from perdure.api.wire.chats import Prompt, Title
from perdure.api.wire.content import END, LINE
from perdure.api.wire.options import options_of
from perdure.api.wire.speech import SpeechBody, SpeechPatch
from perdure.config.speech import Speech
from perdure.config.triggers import EVERYTHING, Channel, TriggerOptions, read_trigger
from perdure.core.chat import Busy
from perdure.core.ids import ChatId, TriggerId
from perdure.core.payload import Condition, Test
from perdure.store.tables.triggers import DeliveryState, TriggerRow

TriggerSecret = Annotated[str, Meta(min_length=16, max_length=200, pattern=r"^[!-~]*" + END)]
Template = Annotated[Prompt, Meta(min_length=1)]
HourlyLimit = Annotated[int, Meta(ge=1, le=10_000)]
_Text = Annotated[str, Meta(max_length=300, pattern=LINE)]
Thread = Annotated[str, Meta(max_length=300, pattern=LINE)]


class DeliveryCondition(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What must hold of a delivery: the text at a path, compared with any of the values."""

    path: Annotated[str, Meta(min_length=1, max_length=300, pattern=LINE)]
    """Such as `body.action` or `headers.x-github-event`."""
    test: Test = Test.IS
    values: Annotated[tuple[_Text, ...], Meta(max_length=50)] = ()


Handle = Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9-]*" + END)]
Credential = Annotated[str, Meta(min_length=8, max_length=10_000, pattern=r"^[ -~\r\n]*" + END)]
ChannelUrl = Annotated[str, Meta(min_length=8, max_length=500, pattern=r"^https?://[!-~]+" + END)]
Conditions = Annotated[tuple[DeliveryCondition, ...], Meta(max_length=20)]


class Trigger(Speech, frozen=True, kw_only=True, omit_defaults=True):
    """A program that begins chats by what it sends, or speaks into one."""

    id: TriggerId
    name: str
    url: str
    """Where the program sends to."""
    signing: Signing
    template: str
    conditions: tuple[Condition, ...] = ()
    thread: str = ""
    busy: Busy
    hourly_limit: int
    channel: Channel | None = None
    handle: str = ""
    thread_role: ShareRole = ShareRole.WRITE
    enabled: bool
    created_at: datetime
    refused_at: datetime | None = None
    """When a request was refused last, since the trigger was changed."""
    refusal: str = ""
    secret: str | None = None
    """What it is signed with, only where it was just made here."""

    @classmethod
    def of(cls, row: TriggerRow, url: str, secret: str | None = None) -> "Trigger":
        options = read_trigger(row.options)
        chosen = {name: getattr(options, name) for name in TriggerOptions.__struct_fields__}
        return cls(
            **chosen,
            id=row.id,
            url=url,
            enabled=row.enabled,
            created_at=row.created_at,
            refused_at=row.refused_at,
            refusal=row.refusal,
            secret=secret,
        )


class ShownTriggers(Struct, frozen=True):
    items: tuple[Trigger, ...]


class TriggerBody(SpeechBody, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Title
    signing: Signing = Signing.STANDARD
    """How the program signs; `token` where it cannot: then the secret is part of the URL."""
    secret: TriggerSecret | None = None
    """What it signs with; without one it is made, and shown this once. Slack gives its own."""
    template: Template = EVERYTHING
    """The message, with fields of the delivery such as `{{ body.issue.title }}`."""
    conditions: Conditions = ()
    """Deliveries for which one of them does not hold are skipped."""
    thread: Thread = ""
    """A template. Deliveries for which it comes to the same text speak into one chat."""
    busy: Busy = Busy.QUEUE
    """What a delivery means that comes while its chat works."""
    hourly_limit: HourlyLimit = 60
    """Deliveries beyond this number in an hour are skipped."""
    channel: Channel | None = None
    """GitHub or Slack, where people talk with the agent: then `template` and `thread` are not used."""
    handle: Handle = ""
    """What the agent is called on GitHub: a comment that mentions it speaks to it."""
    thread_role: ShareRole = ShareRole.WRITE
    """With a channel: what colleagues who speak in a thread may do in its chat. With `read`, only whoever began it
    speaks there."""
    credential: Credential | None = None
    """With a channel: what answers are posted with. On GitHub a token, or an app's ID, a colon and its private key; on
    Slack a bot token."""
    api_url: ChannelUrl | None = None
    """With a channel: where its API is, if it is your own GitHub."""

    def options(self) -> TriggerOptions:
        return options_of(self, TriggerOptions)


class TriggerPatch(SpeechPatch, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not named stays as it is."""

    name: Title | UnsetType = UNSET
    signing: Signing | UnsetType = UNSET
    secret: TriggerSecret | UnsetType = UNSET
    template: Template | UnsetType = UNSET
    conditions: Conditions | UnsetType = UNSET
    thread: Thread | UnsetType = UNSET
    busy: Busy | UnsetType = UNSET
    hourly_limit: HourlyLimit | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    handle: Handle | UnsetType = UNSET
    thread_role: ShareRole | UnsetType = UNSET
    credential: Credential | UnsetType = UNSET

    def changes(self) -> dict[str, object]:
        # What is a channel stays one.
        given = {name: getattr(self, name, UNSET) for name in TriggerOptions.__struct_fields__}
        return {name: value for name, value in given.items() if value is not UNSET}


class TriggerDelivery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a program sent."""

    id: int
    state: DeliveryState
    created_at: datetime
    size: int
    name: str | None = None
    """What its sender calls it."""
    thread: str = ""
    detail: str = ""
    chat_id: ChatId | None = None
    ended_at: datetime | None = None


class TriggerDeliveries(Struct, frozen=True, omit_defaults=True):
    items: tuple[TriggerDelivery, ...]
    next_cursor: str | None = None


class DeliveryQuery(Struct, frozen=True, forbid_unknown_fields=True):
    state: DeliveryState | None = None
    cursor: Annotated[str, Meta(pattern=r"^[0-9]{0,18}" + END)] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class DeliveryBody(Struct, frozen=True):
    """What a delivery brought, or its beginning."""

    headers: dict[str, str]
    body: str
    size: int


class TrialBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    body: Any = None
    """What the program would send."""
    headers: Annotated[dict[str, str], Meta(max_length=40)] = {}


class ReceiveQuery(Struct, frozen=True, forbid_unknown_fields=True):
    token: Annotated[str, Meta(max_length=200)] = ""


class Accepted(Struct, frozen=True, omit_defaults=True):
    """What is said to whoever sends something. Slack is told nothing: it shows people what it is answered."""

    id: int | None = None
    state: DeliveryState | None = None
    duplicate: bool = False
    """Whether it was known by its name already."""
    challenge: str | None = None
    """What Slack wants to hear before it uses an address."""


class Link(Struct, frozen=True):
    """Who you are in a channel."""

    channel: str
    external: str
    name: str
    created_at: datetime


class Links(Struct, frozen=True):
    items: tuple[Link, ...]


class LinkCode(Struct, frozen=True):
    code: str
    """Say `link CODE` to the agent, where people talk with it. It counts once."""
    expires_in_s: int
