"""What may leave workspaces, on the wire."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from perdure.config.network import OwnSecret
from perdure.store.tables.network import NetworkRuleRow
from perdure.workspaces.egress.rules import Rule

_rules = msgspec.json.Decoder(Rule)


class ShownRule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule; `once` holds for one request."""

    id: UUID
    rule: Rule
    once: bool = False

    @classmethod
    def of(cls, row: NetworkRuleRow) -> "ShownRule":
        return cls(id=row.id, rule=_rules.decode(row.rule), once=row.once)


class NetworkView(Struct, frozen=True):
    """What holds in all workspaces with a network by permission, and the names of secrets that rules may add."""

    rules: tuple[ShownRule, ...]
    secrets: tuple[str, ...]


class RuleBody(Struct, frozen=True, forbid_unknown_fields=True):
    rule: Rule


class ChatRuleBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    rule: Rule
    once: bool = False


class NetworkSecretBody(Struct, frozen=True, forbid_unknown_fields=True):
    secret: Annotated[str, Meta(min_length=1, max_length=10_000)]


class OwnNetwork(Struct, frozen=True):
    """The secrets that rules name, and which of them you have one of your own for."""

    secrets: tuple[OwnSecret, ...]


class RefusedRequest(Struct, frozen=True, kw_only=True):
    """A request that did not leave, and the rule that would let it."""

    at: datetime
    method: str
    host: str
    port: int
    path: str
    reason: str
    rule: Rule | None = None
    """The narrowest rule that would let it leave, where a rule is all that it lacks."""


class CountedRequests(Struct, frozen=True):
    """How many requests left the chat's workspace so far, and how many were refused."""

    allowed: int
    refused: int


class ChatNetwork(Struct, frozen=True):
    """What the chat's workspace was refused lately, newest first, and what was allowed in this chat."""

    refused: tuple[RefusedRequest, ...]
    rules: tuple[ShownRule, ...]
    requests: CountedRequests
