"""Azure OpenAI with dated versions: the deployment in the path is the model."""

from perdure.sim.ask import Ask
from perdure.sim.clouds.body import closed, opened
from perdure.sim.document import Problem
from perdure.sim.openai_chat.wire import OpenAIChat
from perdure.sim.wire import Request

PREFIX = "/openai/deployments/"


class AzureChat(OpenAIChat):
    """POST /openai/deployments/{model}/chat/completions?api-version=…"""

    name = "azure_chat"

    def read(self, request: Request) -> Ask:
        if "api-version" not in request.query:
            raise Problem(404, "invalid_request_error", "Resource not found", code="404")
        body = opened(request)
        if body:
            body["model"] = request.path.removeprefix(PREFIX).partition("/")[0]
        return super().read(closed(request, body))
