"""Where programs send what triggers wait for."""

from functools import partial

from perdure.access.webhook_signatures import Signing
from perdure.api.http import Call
from perdure.api.routing import Routes
from perdure.api.services import Services
from perdure.api.uploads import FILE_LIMIT
from perdure.api.wire.triggers import Accepted, ReceiveQuery
from perdure.core.ids import TriggerId
from perdure.core.notice import TRIGGERS_CHANGED, Notice, Topic

routes = Routes("triggers")


@routes.post("/in/{trigger_id}", public=True, reads_itself=True, body_limit=FILE_LIMIT)
async def receive_delivery(services: Services, call: Call, trigger_id: TriggerId, query: ReceiveQuery) -> Accepted:
    """Where programs send what a trigger waits for: at most 10 MiB of JSON, signed."""
    read = partial(call.body, FILE_LIMIT)
    taken = await services.receiving.receive(trigger_id, call.headers, query.token, read)
    if taken.delivery is None:
        return Accepted(challenge=taken.challenge)
    if not taken.delivery.known:
        services.pubsub.publish([Notice(Topic.CONFIG, name=TRIGGERS_CHANGED)])
    if taken.signing is Signing.SLACK:
        return Accepted()
    return Accepted(taken.delivery.id, taken.state, taken.delivery.known)
