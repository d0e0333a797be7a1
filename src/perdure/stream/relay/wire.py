"""What replicas say to each other about episodes, and how they know each other."""

import hashlib
import hmac

import msgspec
from msgspec import Struct

from perdure.core.deltas import AnyDelta
from perdure.core.ids import ChatId
from perdure.core.message import Role

PATH = "/api/v1/relay"
PATTERN = r"/relay"
HEADER = "authorization"


class Follow(Struct, frozen=True, array_like=True, tag="follow"):
    """Send me the parts of this chat's episodes; of this one, those after `seq`."""

    chat_id: ChatId
    history_version: int = 0
    attempt: int = 0
    seq: int = 0


class Drop(Struct, frozen=True, array_like=True, tag="drop"):
    """Nobody here follows this chat any more."""

    chat_id: ChatId


class Grown(Struct, frozen=True, array_like=True):
    """Parts of an episode, numbered from `after` + 1."""

    chat_id: ChatId
    history_version: int
    attempt: int
    after: int
    pieces: list[tuple[Role, AnyDelta]]


encoder = msgspec.json.Encoder()
wishes = msgspec.json.Decoder(Follow | Drop)
growths = msgspec.json.Decoder(Grown)


def credentials(secret: str) -> str:
    """What a replica shows to another: proof of the cluster's secret, not the secret."""
    proof = hmac.new(secret.encode(), b"perdure relay", hashlib.sha256).hexdigest()
    return f"Bearer {proof}"


def known(secret: str, shown: bytes) -> bool:
    return bool(secret) and hmac.compare_digest(credentials(secret).encode(), shown)
