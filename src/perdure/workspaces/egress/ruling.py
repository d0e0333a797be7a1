"""What holds in a workspace now: the rules of its template, its organisation and its chats, with their secrets."""

from collections.abc import Sequence
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from perdure.store.pool import Pool
from perdure.store.tables import network
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.egress.control import EgressControl, OpenSecret
from perdure.workspaces.egress.rules import ArmedRule, Rule, armed, origin_of

_rules = msgspec.json.Decoder(Rule)


class EgressRules:
    """Puts together what a proxy is told, and forgets rules that were used up."""

    def __init__(self, pool: Pool, open_secret: OpenSecret) -> None:
        self._pool = pool
        self._open = open_secret

    async def tell(self, row: WorkspaceRow, template: Sequence[Rule], control: EgressControl) -> None:
        told = await control.tell(await self._of(row, template))
        if told.spent:
            await network.spend(self._pool, [UUID(rule) for rule in told.spent])

    async def secret_for(self, row: WorkspaceRow, template: Sequence[Rule], method: str, url: str) -> str | None:
        """What would be added to such a request: for what is done outside on behalf of whoever may send it."""
        parts = urlsplit(url)
        origin = origin_of("http" if parts.scheme == "http" else "https", parts.netloc)
        if origin is None:
            return None
        stored = [_rules.decode(each.rule) for each in await network.of_workspace(self._pool, row.id)]
        for rule in (*template, *stored):
            if rule.credential and rule.covers(origin) and rule.allows(method, parts.path):
                found = await self._secrets(row, [rule.credential.secret])
                if value := found.get(rule.credential.secret):
                    return value
        return None

    async def _of(self, row: WorkspaceRow, template: Sequence[Rule]) -> list[ArmedRule]:
        stored = [(each, _rules.decode(each.rule)) for each in await network.of_workspace(self._pool, row.id)]
        rules = [*template, *(rule for _, rule in stored)]
        names = sorted({rule.credential.secret for rule in rules if rule.credential})
        secrets = await self._secrets(row, names) if names else {}
        own = [armed(rule, secrets) for rule in template]
        return own + [armed(rule, secrets, id=str(each.id), once=each.once) for each, rule in stored]

    async def _secrets(self, row: WorkspaceRow, names: list[str]) -> dict[str, str]:
        found = await network.sealed(self._pool, row.organisation_id, row.owner_id, names)
        return {each.name: self._open(each.secret) for each in found}
