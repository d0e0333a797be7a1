"""Every route, in the order of the reference."""

from perdure.api.routes import (
    budgets,
    chats,
    control,
    copies,
    debug,
    files,
    inbox,
    mcp,
    messages,
    models,
    people,
    queue,
    session,
    settings,
    sharing,
    titles,
    usage,
    workspaces,
)
from perdure.api.routing import Table

TABLE = Table(
    session.routes,
    chats.routes,
    messages.routes,
    queue.routes,
    control.routes,
    sharing.routes,
    copies.routes,
    titles.routes,
    files.routes,
    models.routes,
    settings.routes,
    inbox.routes,
    people.routes,
    usage.routes,
    debug.routes,
    budgets.routes,
    workspaces.routes,
    mcp.routes,
)
