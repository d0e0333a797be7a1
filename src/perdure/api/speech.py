"""What schedules and triggers are to say, checked before they are stored."""

from perdure.api.caller import Caller
from perdure.api.chat_workspaces import own_workspace
from perdure.config.channels import Links
from perdure.config.speech import Speech
from perdure.config.triggers import Channel
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import TriggerId


async def check_speech(caller: Caller, options: Speech) -> None:
    """Refuse what could not begin now: it would fail when nobody looks."""
    await caller.model(options.model)
    await own_workspace(caller, options.workspace_id)
    if options.chat_id is not None:
        await caller.chats.own(options.chat_id)
    if options.workspace is None:
        return
    if options.workspace_id is not None:
        raise InvalidInput(
            "A chat uses one workspace.", Validation("workspace_id", "cannot be combined with workspace")
        )
    try:
        await caller.services.workspaces.templates.find(caller.actor.organisation_id, options.workspace.template)
    except NotFound as error:
        raise InvalidInput("Template not found.", Validation("workspace.template", str(error))) from error


async def open_channel(
    caller: Caller, trigger_id: TriggerId, channel: Channel | None, credential: str | None, api_url: str | None
) -> None:
    """The way out of a channel, where the trigger is the way into one."""
    if channel is not None and credential is not None:
        await Links(caller.rows, caller.services.keyring).open(trigger_id, channel, credential, api_url)
        caller.announcements.webhooks_changed()
