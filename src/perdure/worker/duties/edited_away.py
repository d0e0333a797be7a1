"""Ending calls that an edit took out of the history: what they still have running, and their lines in the journal."""

from perdure.store.journal import CallRun
from perdure.worker.owned_chat import OwnedChat


async def end_edited_away(owned: OwnedChat) -> None:
    """Before the edited turn begins. Their driver may be gone, and nobody asks for their results any more."""
    if not await _follows_an_edit(owned):
        return
    chat = owned.chat
    runs = await owned.services.journal.before(chat.id, chat.turn)
    calls = [(CallRun(chat.id, run.message, run.index, run.run), run) for run in runs]
    running = [(call, run.tool) for call, run in calls if run.state == "started"]
    await owned.services.tools.end((await owned.history()).card, running)
    owned.forget_runs([call for call, _ in calls])


async def _follows_an_edit(owned: OwnedChat) -> bool:
    """Whether nothing is answered yet, and the message before the turn's is hidden. It may say so once too often."""
    chat = owned.chat
    if chat.last_assistant or chat.turn <= 1:
        return False
    return (await owned.history()).message(chat.turn - 1) is None
