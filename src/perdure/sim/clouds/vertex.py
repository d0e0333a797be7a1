"""Vertex AI: models in a project, reached with a Google token."""

from collections.abc import Mapping

from perdure.sim.anthropic.errors import invalid
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.ask import Ask
from perdure.sim.clouds.body import closed, opened, take_version
from perdure.sim.document import Node, Problem, names, read
from perdure.sim.gemini import errors as google
from perdure.sim.gemini.wire import Gemini, target
from perdure.sim.wire import Request

PARTS = names("""
    text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought thoughtSignature
    videoMetadata mediaResolution
""")


def bearer(headers: Mapping[str, str]) -> str | None:
    """The caller's token."""
    value = headers.get("authorization", "")
    return value[7:] if value.lower().startswith("bearer ") else None


def unauthenticated() -> Problem:
    """What Google says to a missing or wrong token."""
    message = (
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
        "authentication credential."
    )
    return Problem(401, "UNAUTHENTICATED", message)


def _check_tools(body: Node) -> None:
    """Vertex does not search beside functions, and knows nothing of how the two are told apart."""
    read(body.get("toolConfig"), lambda config: config.only(names("functionCallingConfig retrievalConfig")))
    kinds = {kind for tool in body["tools"].items() for kind in tool.fields()} if body.has("tools") else set[str]()
    if {"googleSearch", "functionDeclarations"} <= kinds:
        raise google.invalid("Multiple tools are supported only when they are all search tools.")


class VertexGemini(Gemini):
    """POST …/publishers/google/models/{model}:streamGenerateContent"""

    name = "vertex_gemini"

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        return bearer(headers)

    def unauthorized(self, key: str | None) -> Problem:  # noqa: ARG002
        return unauthenticated()

    def _checked(self, request: Request, model: str, method: str) -> Node:
        body = super()._checked(request, model, method)
        _check_tools(body)
        for content in body["contents"].items():
            for part in content["parts"].items():
                part.only(PARTS)
        return body


class VertexAnthropic(Anthropic):
    """POST …/publishers/anthropic/models/{model}:streamRawPredict"""

    name = "vertex_anthropic"

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        return bearer(headers)

    def unauthorized(self, key: str | None) -> Problem:  # noqa: ARG002
        return unauthenticated()

    def error(self, problem: Problem) -> bytes:
        """Google's own errors come in Google's shape, the model's in Anthropic's."""
        return google.document(problem) if problem.kind == "UNAUTHENTICATED" else super().error(problem)

    def read(self, request: Request) -> Ask:
        body = opened(request)
        take_version(body, "vertex", invalid("anthropic_version: Field required"))
        if body and "model" in body:
            raise invalid("model: Extra inputs are not permitted")
        if body:
            body["model"] = target(request.path)[0]
        return self.read_checked(closed(request, body))
