"""Which user an author in a channel is."""

import hashlib
from dataclasses import replace

from perdure.access.actor import Role
from perdure.channels.inbound import AccountLink, InboundDecision, InboundMessage
from perdure.config.triggers import Channel
from perdure.core.timing import CHANNEL_CODE_KEPT
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import channels
from perdure.store.tables.channels import AccountClaim
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Occasion
from perdure.triggers.speaking import Skip

_BELIEVED = {Role.OWNER: frozenset(Role), Role.ADMIN: frozenset(Role) - {Role.OWNER}}


def _believed(delivery: TakenDelivery) -> frozenset[Role]:
    """In whose names a channel is believed besides its maker's, who has the secret and could sign what nobody said."""
    return _BELIEVED.get(Role(delivery.role), frozenset())


async def link(pool: Pool, delivery: TakenDelivery, channel: Channel, inbound: AccountLink) -> str:
    """Whoever says a code is its owner from now on. What came of it, in words."""
    person, scope = inbound.person, OrganisationScope(pool, delivery.organisation_id)
    claim = AccountClaim(channel, person.external, hashlib.sha256(inbound.code.encode()).digest(), person.name)
    email = await channels.link(scope, claim, CHANNEL_CODE_KEPT, delivery.owner_id, sorted(_believed(delivery)))
    return f"The code of {person.name} is not known, or too old." if email is None else f"{person.name} is {email}."


async def own(
    pool: Pool, occasion: Occasion, delivery: TakenDelivery, channel: Channel, inbound: InboundMessage | InboundDecision
) -> Occasion:
    """The same message is the same occasion, in however many deliveries it comes; and it is its author's."""
    scope, person = OrganisationScope(pool, delivery.organisation_id), inbound.person
    found = await channels.person(scope, channel, person.external)
    if found is None:
        raise Skip(f"{person.name} ({person.external}) is not linked to an account.")
    if found.id != delivery.owner_id and Role(found.role) not in _believed(delivery):
        raise Skip(f"{person.name} does not speak here. Somebody with at least their rights has to set up the channel.")
    name = f"channel/{delivery.trigger_id}/{inbound.name}"
    whose = replace(occasion, user_id=found.id, organisation_id=found.organisation_id, role=found.role)
    return replace(whose, name=name, person=found.name)
