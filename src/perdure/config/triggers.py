"""Triggers of one person: which programs begin chats by what they send, and what is said then."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct, structs

from perdure.access.actor import ActorRows, record
from perdure.access.keyring import Keyring
from perdure.access.roles import ShareRole
from perdure.access.webhook_signatures import Signing, usable_secret
from perdure.config.speech import Speech
from perdure.core.chat import Busy
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import TriggerId
from perdure.core.payload import Condition, Payload, Test, fill, is_path, read_payload, wrong_fields
from perdure.store.tables import triggers
from perdure.store.tables.triggers import DeliveryContent, DeliveryRow, DeliveryState, TriggerRow

TRIGGER_PURPOSE = "trigger"
MOST_TRIGGERS = 100
"""How many one person may have."""
MOST_FIELDS = 50
"""How many fields a template may have: each may be as long as a message allows."""
MOST_SHOWN = 64 * 1024
"""How many bytes of a delivery are shown."""
THREAD_LENGTH = 512
EVERYTHING = "{{ body }}"
_IN_ITS_CHAT = "chat"


class Channel(StrEnum):
    """Where people talk with agents, besides the page."""

    GITHUB = "github"
    SLACK = "slack"


_SLACK_CHANNEL = "{{ body.event.channel | body.channel.id }}"
_SLACK_THREAD = "{{ body.event.thread_ts | body.event.ts | body.message.thread_ts | body.message.ts }}"
THREADS = {
    Channel.GITHUB: "{{ body.repository.full_name }}#{{ body.issue.number | body.pull_request.number }}",
    Channel.SLACK: f"{_SLACK_CHANNEL}/{_SLACK_THREAD}",
}
"""What is one chat in a channel: an issue or a pull request, a thread."""


class TriggerOptions(Speech, frozen=True, kw_only=True, omit_defaults=True):
    """All about a trigger that somebody chose."""

    name: str
    signing: Signing = Signing.STANDARD
    template: str = EVERYTHING
    """What is said, with fields of what came: `{{ body.issue.title }}`."""
    conditions: tuple[Condition, ...] = ()
    """All of them hold, or nothing begins."""
    thread: str = ""
    """A template: deliveries for which it comes to the same text speak into one chat."""
    busy: Busy = Busy.QUEUE
    hourly_limit: int = 60
    """How many deliveries of an hour are heard."""
    channel: Channel | None = None
    """What it is the way in of; then it decides what is said, and in which chat."""
    handle: str = ""
    """What the agent is called there: somebody who mentions it speaks to it."""
    thread_role: ShareRole = ShareRole.WRITE
    """What others whose accounts are linked may do in the chat of a thread, once they speak there."""

    def check(self) -> None:
        super().check()
        if self.channel is not None:
            self._check_channel(self.channel)
        wrong = [*_wrong_template("template", self.template), *_wrong_template("thread", self.thread)]
        for name, value in self._filled_parameters():
            wrong += _wrong_template(f"workspace.parameters.{name}", value)
        if not self.template.strip():
            wrong.append(Validation("template", "must not be blank"))
        if self.thread and self.chat_id is not None:
            wrong.append(Validation("thread", "cannot be combined with chat_id"))
        for index, condition in enumerate(self.conditions):
            if not is_path(condition.path):
                wrong.append(Validation(f"conditions[{index}].path", "begins with body or headers"))
            if bool(condition.values) is (condition.test is Test.EXISTS):
                said = "takes no values" if condition.values else "needs a value"
                wrong.append(Validation(f"conditions[{index}].values", said))
        if wrong:
            raise InvalidInput("The trigger is not valid.", *wrong)

    def _check_channel(self, channel: Channel) -> None:
        if self.signing != channel.value:
            raise InvalidInput(
                "This channel has its own way to sign.", Validation("signing", f"must be {channel.value}")
            )
        if self.chat_id is not None or self.thread:
            raise InvalidInput(
                "A channel has one chat per thread.", Validation("channel", "cannot be combined with a chat")
            )
        if channel is Channel.GITHUB and not self.handle:
            raise InvalidInput("There is no name to mention the agent by.", Validation("handle", "is missing"))

    def _filled_parameters(self) -> list[tuple[str, str]]:
        given = {} if self.workspace is None else self.workspace.parameters
        return [(name, value) for name, value in given.items() if isinstance(value, str) and "{{" in value]

    def of(self, payload: Payload) -> "TriggerOptions":
        """What is chosen for one delivery: parameters of its workspace that are templates, with what came."""
        filled = {name: fill(value, payload).text for name, value in self._filled_parameters()}
        if self.workspace is None or not filled:
            return self
        workspace = structs.replace(self.workspace, parameters={**self.workspace.parameters, **filled})
        return structs.replace(self, workspace=workspace)

    def thread_of(self, payload: Payload) -> str:
        """Deliveries of one thread are heard in their order. Without a name each is its own."""
        if self.channel is not None:
            return fill(THREADS[self.channel], payload).text[:THREAD_LENGTH]
        if self.chat_id is not None:
            return _IN_ITS_CHAT
        return fill(self.thread, payload).text.strip()[:THREAD_LENGTH]

    def unmet(self, payload: Payload) -> str:
        """Which condition does not hold, in words; nothing where all do."""
        failed = next((each for each in self.conditions if not each.holds(payload)), None)
        return "" if failed is None else f"The condition on {failed.path} is not met."


class Trial(Struct, frozen=True):
    """A delivery that its owner makes up."""

    body: bytes
    headers: dict[str, str]


class Triggers:
    """The triggers of the actor, as they may see and change them."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[TriggerRow]:
        return await triggers.listed(self._rows)

    async def one(self, trigger_id: TriggerId) -> TriggerRow:
        return _there(await triggers.one(self._rows, trigger_id))

    async def add(self, options: TriggerOptions, secret: str) -> TriggerRow:
        _check(options, secret)
        sealed = self._keyring.seal(secret, TRIGGER_PURPOSE)
        row = await triggers.add(self._rows, options_text(options), sealed, MOST_TRIGGERS)
        if row is None:
            raise InvalidInput(f"A person can have at most {MOST_TRIGGERS} triggers.")
        await record(self._rows, "trigger.add", row.id, name=options.name, signing=options.signing)
        return row

    async def change(
        self, trigger_id: TriggerId, changes: dict[str, object], *, enabled: bool | None, secret: str | None
    ) -> TriggerRow:
        options = structs.replace(read_trigger((await self.one(trigger_id)).options), **changes)
        if "signing" in changes and secret is None:
            raise InvalidInput("This way to sign needs a secret.", Validation("secret", "is missing"))
        _check(options, secret)
        sealed = None if secret is None else self._keyring.seal(secret, TRIGGER_PURPOSE)
        row = _there(await triggers.change(self._rows, trigger_id, options_text(options), enabled, sealed))
        fields = sorted([*changes, *(["secret"] if secret else [])])
        await record(self._rows, "trigger.change", trigger_id, fields=fields, enabled=row.enabled)
        return row

    async def delete(self, trigger_id: TriggerId) -> None:
        if await triggers.delete(self._rows, trigger_id) is None:
            raise NotFound("Trigger not found.")
        await record(self._rows, "trigger.delete", trigger_id)

    async def deliveries(
        self, trigger_id: TriggerId, state: DeliveryState | None, *, before: int | None, limit: int
    ) -> Sequence[DeliveryRow]:
        await self.one(trigger_id)
        return await triggers.deliveries(self._rows, trigger_id, state, before, limit)

    async def content(self, trigger_id: TriggerId, delivery_id: int) -> DeliveryContent:
        found = await triggers.content(self._rows, trigger_id, delivery_id, MOST_SHOWN)
        if found is None:
            raise NotFound("Delivery not found.")
        return found

    async def replay(self, trigger_id: TriggerId, delivery_id: int) -> DeliveryRow:
        row = await triggers.replay(self._rows, trigger_id, delivery_id)
        if row is None:
            raise NotFound("Delivery not found, or still in progress.")
        await record(self._rows, "trigger.replay", trigger_id, delivery=delivery_id)
        return row

    async def try_out(self, trigger_id: TriggerId, trial: Trial) -> DeliveryRow:
        options = read_trigger((await self.one(trigger_id)).options)
        payload = read_payload(trial.body, trial.headers)
        if said := options.unmet(payload):
            raise InvalidInput(said, Validation("body", "would be skipped"))
        headers, thread = msgspec.json.encode(trial.headers).decode(), options.thread_of(payload)
        row = await triggers.try_out(self._rows, trigger_id, thread, headers, trial.body)
        if row is None:
            raise NotFound("Trigger not found.")
        await record(self._rows, "trigger.test", trigger_id)
        return row


_options = msgspec.json.Decoder(TriggerOptions)


def read_trigger(row_options: str) -> TriggerOptions:
    return _options.decode(row_options)


def options_text(options: TriggerOptions) -> str:
    return msgspec.json.encode(options).decode()


def _check(options: TriggerOptions, secret: str | None) -> None:
    options.check()
    if secret is not None and not usable_secret(options.signing, secret):
        detail = "is whsec_ and at least 16 bytes as base64"
        raise InvalidInput("The secret is not valid.", Validation("secret", detail))


def _wrong_template(field: str, template: str) -> list[Validation]:
    wrong = [
        Validation(field, f"{{{{{each}}}}} is not a field: write {{{{ body.a.b }}}}") for each in wrong_fields(template)
    ]
    if template.count("{{") > MOST_FIELDS:
        wrong.append(Validation(field, f"has more than {MOST_FIELDS} fields"))
    return wrong


def _there(row: TriggerRow | None) -> TriggerRow:
    if row is None:
        raise NotFound("Trigger not found.")
    return row
