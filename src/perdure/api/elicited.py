"""What people answer to the questions of a call, held against what it asked."""

from collections.abc import Mapping

import msgspec

from perdure.api.wire.control import AnswerAction, FormAnswer
from perdure.core.action import Action, ActionKind, Question
from perdure.core.chat import Chat
from perdure.core.errors import InvalidInput, Validation
from perdure.tools.arguments import misfit


def checked_answers(chat: Chat, call_id: str, answers: Mapping[str, FormAnswer]) -> str:
    """The answers to all that a call asks, as they are brought to it. Nothing where it asks nothing now."""
    asked = {question.key: question for question in _questions(chat, call_id)}
    if not asked:
        return ""
    for key in asked.keys() - answers.keys():
        raise InvalidInput("Answer every question of the call.", Validation(f"answers.{key}", "is missing"))
    for key, answer in answers.items():
        if key not in asked:
            raise InvalidInput("The call does not ask this.", Validation(f"answers.{key}", "is not asked"))
        _check(asked[key], answer)
    return msgspec.json.encode(answers).decode()


def _questions(chat: Chat, call_id: str) -> tuple[Question, ...]:
    action: Action | None = chat.action
    if action is None or action.kind is not ActionKind.ELICITATION:
        return ()
    calls = {call.index for call in chat.open_calls if call.call_id == call_id}
    return tuple(question for question in action.questions if question.call in calls)


def _check(question: Question, answer: FormAnswer) -> None:
    if answer.action is not AnswerAction.ACCEPT or not question.schema:
        return
    if answer.content is msgspec.UNSET:
        raise InvalidInput("Fill in the form.", Validation(f"answers.{question.key}.content", "is missing"))
    wrong = misfit(answer.content, msgspec.json.decode(question.schema))
    if wrong is not None:
        raise InvalidInput("The answer does not fit the form.", Validation(f"answers.{question.key}.content", wrong))
