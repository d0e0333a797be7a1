"""The identifiers that travel through the system, each its own type."""

from typing import NewType
from uuid import UUID

ChatId = NewType("ChatId", UUID)
UserId = NewType("UserId", UUID)
OrganisationId = NewType("OrganisationId", UUID)
ReplicaId = NewType("ReplicaId", UUID)
RunnerId = NewType("RunnerId", UUID)
WorkspaceId = NewType("WorkspaceId", UUID)
FileId = NewType("FileId", UUID)
ChangeId = NewType("ChangeId", UUID)
ProviderId = NewType("ProviderId", UUID)
McpServerId = NewType("McpServerId", UUID)
HookId = NewType("HookId", UUID)
ScheduleId = NewType("ScheduleId", UUID)
WebhookId = NewType("WebhookId", UUID)
MemoryId = NewType("MemoryId", UUID)
TriggerId = NewType("TriggerId", UUID)

ModelName = NewType("ModelName", str)
"""The unique name of a model setting, such as `demo` or `anthropic/claude-sonnet`."""

MessageNumber = NewType("MessageNumber", int)
"""A message's place in its chat: ordered, gapless, given by the plan that appends it."""

QueuedNumber = NewType("QueuedNumber", int)
"""A queued message's name in its chat. It never changes and is never used again."""
