"""The one file that a chat may write while it plans."""

from perdure.core.ids import ChatId
from perdure.tools.call import CallContext, Mode, ToolFailed


def plan_path(chat_id: ChatId) -> str:
    return f"~/.perdure/plans/PLAN-{chat_id}.md"


def through_links(ctx: CallContext, *paths: str) -> bool:
    """Whether a write may follow symbolic links. While the chat plans it may not, and only its plan may be written."""
    if ctx.mode is not Mode.PLAN:
        return True
    allowed = plan_path(ctx.key.chat_id)
    if any(path != allowed for path in paths):
        raise ToolFailed(f"The chat is in plan mode: only its plan may be written, at {allowed}.")
    return False
