"""What hooks make of something that is said to an agent, before any of it is stored."""

from perdure.config.hooks import HookEvent
from perdure.core.errors import HookDenied, HookDispatchFailed
from perdure.core.parts import AnyPart, File, NoticePart, Text
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.hooks.messages import Subject, Verdict


async def submitted(
    hooks: Hooks | None, subject: Subject, parts: tuple[AnyPart, ...], *, begins: str = ""
) -> tuple[AnyPart, ...]:
    """The parts as hooks leave them. `begins` says how a new chat comes about.

    Raises HookDenied where one says no.
    """
    if hooks is None:
        return parts
    added: list[AnyPart] = []
    if begins:
        begun = await hooks.ask(HookEvent.SESSION_START, subject, {"source": begins})
        _refuse(begun)
        added += _added(begun)
    files = [part.name for part in parts if isinstance(part, File)]
    verdict = await hooks.ask(HookEvent.USER_PROMPT_SUBMIT, subject, {"input": _said(parts), "files": files})
    _refuse(verdict)
    return (*_rewritten(parts, verdict), *added, *_added(verdict))


def _refuse(verdict: Verdict) -> None:
    if verdict.denied is not None:
        raise HookDenied(verdict.denied)


def _said(parts: tuple[AnyPart, ...]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


def _rewritten(parts: tuple[AnyPart, ...], verdict: Verdict) -> tuple[AnyPart, ...]:
    if verdict.input is None:
        return parts
    if not isinstance(verdict.input, str) or not verdict.input.strip():
        raise HookDispatchFailed("A hook gave a new message that is not a text.")
    return (Text(verdict.input), *(part for part in parts if not isinstance(part, Text)))


def _added(verdict: Verdict) -> list[AnyPart]:
    contexts: list[AnyPart] = [Text(text, model_only=True) for text in verdict.contexts]
    return [*contexts, *(NoticePart("hook", text) for text in verdict.messages)]
