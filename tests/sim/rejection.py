"""Requests that a vendor refuses, written as what differs from a good one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import aiohttp

from perdure.sim.document import Json

Body: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Refused:
    """One row of the table: what is sent, and what comes back."""

    name: str
    body: Body
    says: str
    status: int = 400
    kind: str | None = None
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.name


async def post(url: str, body: Json, headers: Mapping[str, str]) -> tuple[int, dict[str, Json]]:
    async with aiohttp.ClientSession() as client, client.post(url, json=body, headers=headers) as answer:
        return answer.status, await answer.json()
