"""What a chat needs decided, put to an editor's person: approvals, doubts, budgets, and what calls ask."""

from http import HTTPStatus
from typing import Any

from perdure.cli.json_lines import JsonLines
from perdure.client import ApiError
from perdure.client.chats import Chat
from perdure.core.action import ActionKind, Verdict
from perdure.core.events import PendingAction, PendingCall, PendingQuestion
from perdure.faces.acp.updates import call_of

_APPROVALS = (
    (Verdict.APPROVE.value, "Allow once", "allow_once"),
    ("approve_always", "Always allow in this chat", "allow_always"),
    (Verdict.DENY.value, "Deny", "reject_once"),
)
_DOUBTS = (
    (Verdict.HAPPENED.value, "It happened", "allow_once"),
    (Verdict.REPEAT.value, "Run it again", "allow_once"),
    (Verdict.SKIP.value, "Skip it", "reject_once"),
)
MICROS = 1_000_000


class EditorDecisions:
    """Asks an editor. Somebody may decide on the page meanwhile: the first one counts."""

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines
        self.shows_forms = False
        """Whether the editor has forms."""

    async def decided(self, session_id: str, chat: Chat, action: PendingAction) -> None:
        """Ask the editor about every call that waits for a decision, or about a budget that is used up."""
        if action.kind is ActionKind.BUDGET:
            await self._budget_decided(session_id, chat, action)
        if action.kind is ActionKind.ELICITATION:
            await self._questions_answered(session_id, chat, action)
        if action.kind not in (ActionKind.APPROVAL, ActionKind.OUTCOME_UNKNOWN):
            return
        choices = _APPROVALS if action.kind is ActionKind.APPROVAL else _DOUBTS
        options = [{"optionId": choice, "name": name, "kind": kind} for choice, name, kind in choices]
        for call in action.calls:
            if call.decision is not None:
                continue
            told = {"sessionId": session_id, "toolCall": call_of(call.call_id, call.tool, call.args)}
            answer = await self._lines.ask("session/request_permission", {**told, "options": options})
            match answer:
                case {"outcome": {"optionId": str(chosen)}}:
                    await _act(chat, decisions=[{"call_id": call.call_id, "decision": chosen}])
                case _:
                    # The editor's turn was cancelled, which is said by itself.
                    return

    async def _questions_answered(self, session_id: str, chat: Chat, action: PendingAction) -> None:
        """Put what calls ask to the person, in the editor's forms. One without forms can refuse for them."""
        for call in action.calls:
            if call.decision is not None:
                continue
            wrong = ""
            while (answers := await self._answers(session_id, call, wrong)) is not None:
                try:
                    await _act(chat, decisions=[{"call_id": call.call_id, "decision": "answer", "answers": answers}])
                    break
                except ApiError as error:
                    if error.status != HTTPStatus.BAD_REQUEST:
                        raise
                    wrong = f"{error}\n"

    async def _answers(self, session_id: str, call: PendingCall, wrong: str) -> dict[str, Any] | None:
        """What the person answers to all that a call asks, after what was wrong before; nothing if they put it off."""
        answers: dict[str, Any] = {}
        for asked in call.questions:
            answer = await self._answer(session_id, call, asked, wrong)
            if answer is None:
                return None
            answers[asked.key] = answer
        return answers

    async def _answer(
        self, session_id: str, call: PendingCall, asked: PendingQuestion, wrong: str
    ) -> dict[str, Any] | None:
        message = wrong + (f"{asked.message}\n{asked.url}" if asked.url else asked.message)
        if self.shows_forms:
            schema = asked.schema or {"type": "object", "properties": {}}
            form = {"mode": "form", "message": message, "requestedSchema": schema}
            match await self._lines.ask("elicitation/create", {"sessionId": session_id, **form}):
                case {"action": "accept", **rest}:
                    return {"action": "accept", "content": rest.get("content") or {}}
                case {"action": "decline"}:
                    return {"action": "decline"}
                case _:
                    return None
        told = {**call_of(call.call_id, call.tool, call.args), "title": f"{call.tool} asks: {message}"}
        options = [{"optionId": "decline", "name": "Do not answer", "kind": "reject_once"}]
        match await self._lines.ask(
            "session/request_permission", {"sessionId": session_id, "toolCall": told, "options": options}
        ):
            case {"outcome": {"optionId": "decline"}}:
                return {"action": "decline"}
            case _:
                return None

    async def _budget_decided(self, session_id: str, chat: Chat, action: PendingAction) -> None:
        limit = action.limit or 0
        more = max(2 * limit, MICROS)
        told = {"toolCallId": f"budget-{limit}", "kind": "other", "status": "pending"}
        told["title"] = f"The budget of US${limit / MICROS:.2f} is used up."
        options = [
            {"optionId": "raise", "name": f"Raise it to US${more / MICROS:.2f}", "kind": "allow_once"},
            {"optionId": "decline", "name": "End the turn here", "kind": "reject_once"},
        ]
        answer = await self._lines.ask(
            "session/request_permission", {"sessionId": session_id, "toolCall": told, "options": options}
        )
        match answer:
            case {"outcome": {"optionId": "raise"}}:
                await _act(chat, limit=more)
            case {"outcome": {"optionId": "decline"}}:
                await _act(chat, decline=True)
            case _:
                pass


async def _act(chat: Chat, **body: Any) -> None:
    try:
        await chat.act(**body)
    except ApiError as error:
        # Somebody decided on the page.
        if error.status != HTTPStatus.CONFLICT:
            raise
