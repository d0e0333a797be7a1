"""The one classification of everything that can go wrong with a model call. Its table is docs/reference/errors.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.text import encodable
from perdure.providers.errors import words
from perdure.providers.errors.failures import ApiError, Failure, Malformed, NotStreamed, StreamEnded
from perdure.providers.errors.patterns import FILES
from perdure.providers.errors.rows import ROWS
from perdure.providers.errors.signals import is_page, retry_after, signals
from perdure.providers.errors.words import structured_code, structured_message


@dataclass(frozen=True, slots=True)
class ClassifiedError:
    """What went wrong, for the log, the wire and the database alike."""

    kind: ErrorKind
    message: str
    retryable: bool = False
    provider: str | None = None
    status_code: int | None = None
    retry_after: timedelta | None = None
    detail: str | None = None
    chain_broken: bool = False
    """The provider lost a chain of responses: once more with the whole history may help."""

    @property
    def about_a_file(self) -> bool:
        """Whether a request may have been refused for a picture or a document in it."""
        refused = self.status_code in (400, 415, 422) and self.kind in (ErrorKind.GENERIC, ErrorKind.CONFIG)
        return refused and FILES.search((self.detail or "").lower()) is not None

    def chat_error(self) -> ChatError:
        return ChatError(
            message=self.message,
            kind=self.kind,
            detail=self.detail,
            provider=self.provider,
            retryable=self.retryable,
            status_code=self.status_code,
        )


class ModelCallFailed(ProviderFailure):
    """A ProviderFailure that still knows its whole classification."""

    def __init__(self, classified: ClassifiedError) -> None:
        hint = classified.retry_after
        super().__init__(
            classified.chat_error(), retry_after_ms=None if hint is None else round(hint.total_seconds() * 1000)
        )
        self.classified = classified


def classify(error: BaseException, provider: str | None = None) -> ClassifiedError:
    """The first row of the table that matches. An explicit provider outweighs one found in the words."""
    return _encodable(_classified(error, provider))


def _encodable(classified: ClassifiedError) -> ClassifiedError:
    """The same with half surrogates replaced: it is sent and stored as it is."""
    texts = (classified.message, classified.provider, classified.detail)
    message, provider, detail = (None if text is None else encodable(text) for text in texts)
    return replace(classified, message=message or "", provider=provider, detail=detail)


def _classified(error: BaseException, provider: str | None) -> ClassifiedError:
    known = _carried(error)
    if known is not None:
        return known if provider is None else _told_of(known, provider)
    seen = signals(error)
    row = next(row for row in ROWS if row.matches(seen))
    named = provider or seen.provider
    return ClassifiedError(
        kind=row.kind,
        message=words.sentence(row.template or words.SENTENCES[row.kind], named),
        retryable=row.retryable,
        provider=named,
        status_code=seen.status,
        retry_after=retry_after(seen.headers, seen.body) if row.retryable else None,
        detail=words.detail(error, row.kind),
        chain_broken=row.chain_broken,
    )


def chat_error(error: BaseException | None, provider: str | None = None) -> ChatError | None:
    """The payload to store and to send. No error, no payload."""
    return None if error is None else classify(error, provider).chat_error()


def _carried(error: BaseException) -> ClassifiedError | None:
    """Row 0: a classification that the error brings along."""
    match error:
        case ModelCallFailed():
            return error.classified
        case ProviderFailure(error=told, retry_after_ms=hint):
            return ClassifiedError(
                kind=told.kind,
                message=told.message,
                retryable=told.retryable,
                provider=told.provider,
                status_code=told.status_code,
                retry_after=None if hint is None else timedelta(milliseconds=hint),
                detail=told.detail,
            )
        case _:
            return None


def _told_of(known: ClassifiedError, provider: str) -> ClassifiedError:
    if known.provider == provider or known.kind in (ErrorKind.HOOK_DENIED, ErrorKind.HOOK_DISPATCH_FAILED):
        return known
    rebuilt = known.message
    for template in (*words.SENTENCES.values(), *words.OTHERS):
        if known.message == words.sentence(template, known.provider):
            rebuilt = words.sentence(template, provider)
            break
    return replace(known, provider=provider, message=rebuilt)


STREAM_TYPES = frozenset({"text/event-stream", "application/vnd.amazon.eventstream", "application/octet-stream"})
SEEN = 4_096
_WHOLE = re.compile(r'"(?:choices|candidates|output|content)"\s{0,8}:\s{0,8}\[')
"""What an answer has that was not streamed, in any of the dialects."""
KEPT_HEADERS = ("retry-after", "retry-after-ms", "content-type", "request-id", "x-request-id")


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """What an answer that is no stream means."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    kept = {name.lower(): value for name, value in headers.items() if name.lower() in KEPT_HEADERS}
    answer = ApiError(f"status {status}", status=None if status == 200 else status, body=text, headers=kept)
    code, message = ("", None) if is_page(answer) else (structured_code(text), structured_message(text))
    if status == 200 and message is None and _WHOLE.search(text[:SEEN]):
        return NotStreamed("an answer in one piece")
    if status == 200 and not (code or message):
        return Malformed("an answer that is no stream of events") if text.strip() else StreamEnded()
    answer.text = " ".join(filter(None, (code, message))) or answer.text
    return answer
