"""A request the simulator refuses, before it is put in a vendor's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Problem(Exception):
    """Why a request is refused; each wire format renders it as its vendor would."""

    status: int
    kind: str
    message: str
    param: str | None = None
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    details: tuple[Mapping[str, object], ...] = ()
