"""Every route, in the order of the reference."""

from perdure.api.routes import chats, control, messages, models, queue, session
from perdure.api.routing import Table

TABLE = Table(session.routes, chats.routes, messages.routes, queue.routes, control.routes, models.routes)
