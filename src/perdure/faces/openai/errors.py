"""Errors in the shape that clients of OpenAI's API read."""

import msgspec

from perdure.api.errors import Problem, answer_of
from perdure.api.http import Answer
from perdure.core.errors import PerdureError
from perdure.core.failure import ChatError, ErrorKind
from perdure.faces.asked import NoModel, StillAnswering

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_CODES = {
    ErrorKind.CONTEXT_OVERFLOW: "context_length_exceeded",
    ErrorKind.RATE_LIMIT: "rate_limit_exceeded",
    ErrorKind.USAGE_LIMIT: "insufficient_quota",
}
_KINDS = {NoModel: "model_not_found", StillAnswering: "conversation_locked"}
_decoder = msgspec.json.Decoder(Problem)


class OpenAiError(PerdureError):
    """What OpenAI's API has a code for."""

    def __init__(self, status: int, message: str, *, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


def error_of(error: Exception) -> Answer:
    """The answer that tells a client what went wrong."""
    if isinstance(error, OpenAiError):
        return _answer(error.status, str(error), error.code, error.param)
    answer = answer_of(error)
    code = next((code for kind, code in _KINDS.items() if isinstance(error, kind)), None)
    problem = _decoder.decode(answer.body)
    words = [problem.message, *(f"{wrong.field}: {wrong.detail}" for wrong in problem.validations)]
    param = problem.validations[0].field if problem.validations else "model" if isinstance(error, NoModel) else None
    kept = tuple(header for header in answer.headers if header[0] == "retry-after")
    return _answer(answer.status, " ".join(words), code or problem.kind, param, *kept)


def failure_of(error: ChatError | None) -> dict[str, str]:
    """Why a response failed."""
    if error is None:
        return {"code": "server_error", "message": "The turn failed."}
    return {"code": _CODES.get(error.kind, "server_error"), "message": error.message}


def _answer(status: int, message: str, code: str | None, param: str | None, *headers: tuple[str, str]) -> Answer:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return Answer.json(status, {"error": {"message": message, "type": kind, "param": param, "code": code}}, *headers)
