# ruff: noqa: E501
# fmt: off
"""Errors as vendors, proxies and transports really raise them, each with what it means."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
import msgspec
from aiohttp.http_exceptions import BadHttpMessage, BadStatusLine
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.errors import failures
from perdure.providers.errors.classification import refusal
from perdure.providers.model import Model

K = ErrorKind


@dataclass(frozen=True, slots=True)
class Case:
    """What was raised, and what it must be understood as."""

    name: str
    raised: Callable[[], BaseException]
    kind: ErrorKind
    retryable: bool
    status: int | None
    provider: str | None
    hint: str | None = None
    """The provider that the caller names."""


def http(status: int, body: Any, **headers: str) -> Callable[[], BaseException]:
    """An answer with an error status."""
    raw = body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: refusal(status, named, raw)


def event(dialect: str, body: Any) -> Callable[[], BaseException]:
    """An error inside a stream that began well."""

    def raised() -> BaseException:
        try:
            DIALECTS[dialect].decoder(Model(id="m", dialect=dialect)).feed(msgspec.json.encode(body))
        except failures.Failure as error:
            return error
        raise AssertionError(f"{dialect} did not refuse {body}")

    return raised


def text(words: str) -> Callable[[], BaseException]:
    return lambda: RuntimeError(words)


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}


def openai(message: str, kind: str | None, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def google(code: int, status: str, message: str, **details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, **details}}


HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx rate limit quota</body></html>"
A, P, G, B, R = "Anthropic", "OpenAI", "Google", "Amazon Bedrock", "OpenRouter"

ANTHROPIC = [
    Case("anthropic overloaded", http(529, anthropic("overloaded_error", "Overloaded")), K.OVERLOADED, True, 529, A, hint=A),
    Case("anthropic overloaded in the stream", event("anthropic_messages", anthropic("overloaded_error", "Overloaded")), K.OVERLOADED, True, 529, A, hint=A),
    Case("anthropic rate limit", http(429, anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute."), retry_after="12"), K.RATE_LIMIT, True, 429, A, hint=A),
    Case("anthropic rate limit in the stream", event("anthropic_messages", anthropic("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit")), K.RATE_LIMIT, True, 429, A, hint=A),
    Case("anthropic temperature", http(400, anthropic("invalid_request_error", "`temperature` is deprecated for this model.")), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic temperature and top_p", http(400, anthropic("invalid_request_error", "`temperature` and `top_p` cannot both be specified for this model. Please use only one.")), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic effort level", http(400, anthropic("invalid_request_error", "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.")), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic thinking off", http(400, anthropic("invalid_request_error", '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.')), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic acceleration limit", http(429, anthropic("rate_limit_error", "This request would exceed the acceleration limit of your organization.") ), K.RATE_LIMIT, True, 429, A, hint=A),
    Case("anthropic wrong key", http(401, anthropic("authentication_error", "invalid x-api-key")), K.AUTH, False, 401, A, hint=A),
    Case("anthropic expired token", http(401, anthropic("authentication_error", "OAuth token has expired.")), K.AUTH, False, 401, A, hint=A),
    Case("anthropic permission", http(403, anthropic("permission_error", "Your API key does not have permission to use the specified resource.") ), K.AUTH, False, 403, A, hint=A),
    Case("anthropic credit", http(400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")), K.USAGE_LIMIT, False, 400, A),
    Case("anthropic billing", http(402, anthropic("billing_error", "There is an issue with your payment information.")), K.USAGE_LIMIT, False, 402, A, hint=A),
    Case("anthropic monthly limit", http(400, anthropic("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.")), K.USAGE_LIMIT, False, 400, A, hint=A),
    Case("anthropic spend limit", http(429, {"type": "error", "error": {"type": "rate_limit_error", "message": "Your organization crossed its limit.", "details": {"error_code": "enforced_spend_limit_reached"}}}), K.USAGE_LIMIT, False, 429, A, hint=A),
    Case("anthropic unknown model", http(404, anthropic("not_found_error", "model: claude-sonnet-9")), K.CONFIG, False, 404, A),
    Case("anthropic prompt too long", http(400, anthropic("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")), K.CONTEXT_OVERFLOW, False, 400, A, hint=A),
    Case("anthropic too long with its output", http(400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again")), K.CONTEXT_OVERFLOW, False, 400, A, hint=A),
    Case("anthropic request too large", http(413, anthropic("request_too_large", "Request exceeds the maximum size")), K.CONTEXT_OVERFLOW, False, 413, A, hint=A),
    Case("anthropic internal", http(500, anthropic("api_error", "Internal server error")), K.GENERIC, True, 500, A, hint=A),
    Case("anthropic internal in the stream", event("anthropic_messages", anthropic("api_error", "Internal server error")), K.GENERIC, True, 500, A, hint=A),
    Case("anthropic gateway timeout", http(504, anthropic("timeout_error", "Request timed out.")), K.TIMEOUT, True, 504, A, hint=A),
    Case("anthropic timeout in the stream", event("anthropic_messages", anthropic("timeout_error", "The upstream did not answer")), K.TIMEOUT, True, 504, A, hint=A),
    Case("anthropic too many output tokens", http(400, anthropic("invalid_request_error", "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5")), K.CONFIG, False, 400, A),
    Case("anthropic budget over limit", http(400, anthropic("invalid_request_error", "`max_tokens` must be greater than `thinking.budget_tokens`.")), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic extra field", http(400, anthropic("invalid_request_error", "verbosity: Extra inputs are not permitted")), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic orphan call", http(400, anthropic("invalid_request_error", "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.")), K.GENERIC, False, 400, A, hint=A),
    Case("anthropic blank text", http(400, anthropic("invalid_request_error", "messages: text content blocks must be non-empty")), K.GENERIC, False, 400, A, hint=A),
    Case("anthropic signature", http(400, anthropic("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block")), K.GENERIC, False, 400, A, hint=A),
    Case("anthropic thinking disabled", http(400, anthropic("invalid_request_error", '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive".')), K.CONFIG, False, 400, A, hint=A),
    Case("anthropic organization on hold", http(400, anthropic("invalid_request_error", "This organization has been disabled.")), K.GENERIC, False, 400, A, hint=A),
    Case("anthropic no key", http(401, anthropic("authentication_error", "x-api-key header is required")), K.AUTH, False, 401, A, hint=A),
    Case("anthropic mentions 429 in a 400", http(400, anthropic("invalid_request_error", "tools.0.name: 429 is no name")), K.GENERIC, False, 400, A, hint=A),
]

OPENAI = [
    Case("openai wrong key", http(401, openai("Incorrect API key provided: sk-abc*****xyz. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key")), K.AUTH, False, 401, P),
    Case("openai no organization", http(401, openai("You must be a member of an organization to use the API.", "invalid_request_error")), K.AUTH, False, 401, P, hint=P),
    Case("openai missing scope", http(401, openai("You have insufficient permissions for this operation. Missing scopes: model.request.", "server_error", "missing_scope")), K.AUTH, False, 401, P, hint=P),
    Case("openai region", http(403, openai("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory")), K.AUTH, False, 403, P, hint=P),
    Case("openai no access to model", http(403, openai("Project `proj_x` does not have access to model `gpt-6-astra`", "invalid_request_error", "model_not_found")), K.CONFIG, False, 403, P, hint=P),
    Case("openai rate limit", http(429, openai("Rate limit reached for gpt-5.2 in organization org-x on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms.", "requests", "rate_limit_exceeded"), retry_after_ms="120"), K.RATE_LIMIT, True, 429, P, hint=P),
    Case("openai tokens per minute", http(429, openai("Request too large for gpt-5.2 on tokens per min (TPM): Limit 30000, Requested 51000.", "tokens", "rate_limit_exceeded")), K.RATE_LIMIT, True, 429, P, hint=P),
    Case("openai quota", http(429, openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota")), K.USAGE_LIMIT, False, 429, P, hint=P),
    Case("openai hard limit", http(400, openai("Billing hard limit has been reached", "invalid_request_error", "billing_hard_limit_reached")), K.USAGE_LIMIT, False, 400, P, hint=P),
    Case("openai unknown model", http(404, openai("The model `gpt-99` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found")), K.CONFIG, False, 404, P, hint=P),
    Case("openai context", http(400, openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.", "invalid_request_error", "context_length_exceeded", "messages")), K.CONTEXT_OVERFLOW, False, 400, P, hint=P),
    Case("responses context", http(400, openai("Your input exceeds the context window of this model. Please adjust your input and try again.", "invalid_request_error", "context_length_exceeded", "input")), K.CONTEXT_OVERFLOW, False, 400, P, hint=P),
    Case("openai string too long", http(400, openai("Invalid 'input[0].content[0].text': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.", "invalid_request_error", "string_above_max_length")), K.GENERIC, False, 400, P, hint=P),
    Case("openai unsupported parameter", http(400, openai("Unsupported parameter: 'temperature' is not supported with this model.", "invalid_request_error", "unsupported_parameter", "temperature")), K.CONFIG, False, 400, P, hint=P),
    Case("openai unsupported value", http(400, openai("Unsupported value: 'xhigh' is not supported with the 'gpt-5' model.", "invalid_request_error", "unsupported_value", "reasoning.effort")), K.CONFIG, False, 400, P, hint=P),
    Case("openai unknown parameter", http(400, openai("Unknown parameter: 'foo'.", "invalid_request_error", "unknown_parameter", "foo")), K.CONFIG, False, 400, P, hint=P),
    Case("openai bad schema", http(400, openai("Invalid schema for function 'look': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.", "invalid_request_error", "invalid_function_parameters")), K.CONFIG, False, 400, P, hint=P),
    Case("openai server", http(500, openai("The server had an error while processing your request. Sorry about that!", "server_error")), K.GENERIC, True, 500, P, hint=P),
    Case("openai engine overloaded", http(503, openai("The engine is currently overloaded, please try again later", "server_error")), K.OVERLOADED, True, 503, P, hint=P),
    Case("openai slow down", http(503, openai("Slow Down", "server_error", "slow_down")), K.OVERLOADED, True, 503, P, hint=P),
    Case("openai unavailable", http(503, openai("The server is temporarily unable to handle the request.", "server_error")), K.TIMEOUT, True, 503, P, hint=P),
    Case("openai bad gateway html", http(502, HTML, content_type="text/html"), K.TIMEOUT, True, 502, P, hint=P),
    Case("openai cloudflare timeout", http(524, HTML), K.TIMEOUT, True, 524, P, hint=P),
    Case("openai cloudflare down", http(521, HTML), K.TIMEOUT, True, 521, P, hint=P),
    Case("responses orphan call", http(400, openai("No tool output found for function call call_abc.", "invalid_request_error", None, "input")), K.GENERIC, False, 400, P, hint=P),
    Case("responses orphan result", http(400, openai("No tool call found for function call output with call_id call_abc.", "invalid_request_error", None, "input")), K.GENERIC, False, 400, P, hint=P),
    Case("responses lost reasoning", http(400, openai("Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", "invalid_request_error", None, "input")), K.GENERIC, False, 400, P, hint=P),
    Case("responses loose reasoning", http(400, openai("Item 'rs_1' of type 'reasoning' was provided without its required following item.", "invalid_request_error", None, "input")), K.GENERIC, False, 400, P, hint=P),
    Case("responses lost chain", http(400, openai("Previous response with id 'resp_1' not found.", "invalid_request_error", "previous_response_not_found", "previous_response_id")), K.GENERIC, False, 400, P, hint=P),
    Case("responses overloaded in the stream", event("openai_responses", {"type": "error", "sequence_number": 3, "code": "server_is_overloaded", "message": "Our servers are currently overloaded.", "param": None}), K.OVERLOADED, True, 503, P, hint=P),
    Case("responses slow down in the stream", event("openai_responses", {"type": "error", "error": {"type": "server_error", "code": "slow_down", "message": "Please slow down."}}), K.OVERLOADED, True, 503, P, hint=P),
    Case("responses rate limit in the stream", event("openai_responses", {"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Rate limit reached for gpt-5.2"}}}), K.RATE_LIMIT, True, 429, P, hint=P),
    Case("responses failed in the stream", event("openai_responses", {"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {"code": "server_error", "message": "An error occurred while processing your request."}}}), K.GENERIC, True, 500, P, hint=P),
    Case("responses quota in the stream", event("openai_responses", {"type": "error", "code": "insufficient_quota", "message": "You exceeded your current quota."}), K.USAGE_LIMIT, False, 429, P, hint=P),
    Case("responses overflow in the stream", event("openai_responses", {"type": "response.failed", "response": {"status": "failed", "error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}}}), K.CONTEXT_OVERFLOW, False, 400, P, hint=P),
    Case("responses unsupported effort", http(400, {"error": {"message": "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.", "type": "invalid_request_error", "param": "reasoning.effort", "code": "unsupported_value"}}), K.CONFIG, False, 400, P, hint=P),
    Case("responses invalid prompt in the stream", event("openai_responses", {"type": "response.failed", "response": {"status": "failed", "error": {"code": "invalid_prompt", "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy."}}}), K.GENERIC, False, 400, P, hint=P),
    Case("responses cancelled", event("openai_responses", {"type": "response.cancelled", "response": {"status": "cancelled"}}), K.GENERIC, False, None, P, hint=P),
    Case("chat error in the stream", event("openai_chat", {"error": {"message": "The server had an error", "type": "server_error", "code": None}}), K.GENERIC, True, 500, P, hint=P),
    Case("openai conflict", http(409, openai("The resource was updated by another process.", "invalid_request_error")), K.GENERIC, False, 409, P, hint=P),
    Case("openai unprocessable", http(422, openai("The request was well-formed but could not be followed.", "invalid_request_error")), K.GENERIC, False, 422, P, hint=P),
    Case("openai empty image", http(400, openai("The image data you provided does not represent a valid image.", "invalid_request_error", "invalid_image_format")), K.GENERIC, False, 400, P, hint=P),
]

GOOGLE = [
    Case("gemini wrong key", http(400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", details=[{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"} ])), K.AUTH, False, 400, G),
    Case("gemini expired key", http(400, google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.")), K.AUTH, False, 400, G, hint=G),
    Case("gemini no key", http(403, google(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.")), K.AUTH, False, 403, G, hint=G),
    Case("gemini leaked key", http(403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key.")), K.AUTH, False, 403, G, hint=G),
    Case("vertex unauthenticated", http(401, google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token." )), K.AUTH, False, 401, "Vertex AI", hint="Vertex AI"),
    Case("vertex permission", http(403, google(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p' (or it may not exist).")), K.AUTH, False, 403, G),
    Case("gemini quota", http(429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", details=[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37s"}])), K.RATE_LIMIT, True, 429, G),
    Case("gemini resource exhausted", http(429, google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")), K.RATE_LIMIT, True, 429, G, hint=G),
    Case("gemini overloaded", http(503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")), K.OVERLOADED, True, 503, G, hint=G),
    Case("gemini unavailable", http(503, google(503, "UNAVAILABLE", "The service is currently unavailable.")), K.TIMEOUT, True, 503, G, hint=G),
    Case("gemini deadline", http(504, google(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete.")), K.TIMEOUT, True, 504, G, hint=G),
    Case("gemini internal", http(500, google(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")), K.GENERIC, True, 500, G),
    Case("gemini unknown model", http(404, google(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models.")), K.CONFIG, False, 404, G),
    Case("gemini too long", http(400, google(400, "INVALID_ARGUMENT", "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).")), K.CONTEXT_OVERFLOW, False, 400, G, hint=G),
    Case("gemini unknown field", http(400, google(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "foo": Cannot find field.')), K.CONFIG, False, 400, G, hint=G),
    Case("gemini order", http(400, google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn or after a function response turn.")), K.GENERIC, False, 400, G, hint=G),
    Case("gemini region", http(400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")), K.GENERIC, False, 400, G, hint=G),
    Case("gemini billing", http(400, google(400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.")), K.USAGE_LIMIT, False, 400, G),
    Case("gemini list of errors", http(503, [google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")]), K.OVERLOADED, True, 503, G, hint=G),
    Case("gemini error in the stream", event("gemini", google(503, "UNAVAILABLE", "The service is currently unavailable.")), K.TIMEOUT, True, 503, G, hint=G),
    Case("gemini internal in the stream", event("gemini", google(500, "INTERNAL", "Internal error encountered.")), K.GENERIC, True, 500, G, hint=G),
    Case("gemini blocked prompt", event("gemini", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), K.CONTENT_FILTER, False, None, G, hint=G),
    Case("gemini malformed call", event("gemini", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print(look)"} ] }), K.GENERIC, True, 500, G, hint=G),
]

OTHERS = [
    Case("bedrock throttled", http(429, {"message": "Too many requests, please wait before trying again."}), K.RATE_LIMIT, True, 429, B, hint=B),
    Case("bedrock tokens throttled", http(429, {"message": "Too many tokens, please wait before trying again."}), K.RATE_LIMIT, True, 429, B, hint=B),
    Case("bedrock no access to model", http(403, {"message": "You don't have access to the model with the specified model ID."}), K.CONFIG, False, 403, B, hint=B),
    Case("bedrock bad token", http(403, {"message": "The security token included in the request is invalid."}), K.AUTH, False, 403, B, hint=B),
    Case("bedrock bad signature", http(403, {"message": "The request signature we calculated does not match the signature you provided."}), K.AUTH, False, 403, B, hint=B),
    Case("bedrock denied", http(403, {"message": "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModelWithResponseStream" }), K.AUTH, False, 403, B),
    Case("bedrock bad model", http(400, {"message": "The provided model identifier is invalid."}), K.CONFIG, False, 400, B, hint=B),
    Case("bedrock on demand", http(400, {"message": "Invocation of model ID anthropic.claude-opus-5 with on-demand throughput isn\u2019t supported." }), K.CONFIG, False, 400, B, hint=B),
    Case("bedrock too long", http(400, {"message": "Input is too long for requested model."}), K.CONTEXT_OVERFLOW, False, 400, B, hint=B),
    Case("bedrock unavailable", http(503, {"message": "Bedrock is unable to process your request."}), K.TIMEOUT, True, 503, B),
    Case("bedrock model timeout", http(408, {"message": "Model has timed out in processing the request. Try your request again."}), K.TIMEOUT, True, 408, B, hint=B),
    Case("bedrock internal", http(500, {"message": "The system encountered an unexpected error during processing. Try your request again."}), K.GENERIC, True, 500, B, hint=B),
    Case("bedrock throttled in the stream", lambda: failures.ApiError("throttlingException: Too many tokens", status=429), K.RATE_LIMIT, True, 429, B, hint=B),
    Case("bedrock no credentials", lambda: failures.CredentialsUnusable("unable to locate credentials"), K.CONFIG, False, None, B, hint=B),
    Case("credentials in a 500", http(500, {"message": "Unable to locate credentials"}), K.CONFIG, False, 500, None),
    Case("google no credentials", text("Your default credentials were not found."), K.CONFIG, False, None, None),
    Case("azure wrong key", http(401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."} }), K.AUTH, False, 401, "Azure OpenAI", hint="Azure OpenAI"),
    Case("azure unknown deployment", http(404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."} }), K.CONFIG, False, 404, "Azure OpenAI", hint="Azure OpenAI"),
    Case("azure rate limit", http(429, {"error": {"code": "429", "message": "Requests to the Responses API under Azure OpenAI have exceeded call rate limit of your current pricing tier."} }, retry_after="7"), K.RATE_LIMIT, True, 429, "Azure OpenAI"),
    Case("azure filtered prompt", http(400, {"error": {"message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.", "type": None, "param": "prompt", "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"jailbreak": {"filtered": True, "detected": True}}}}}), K.CONTENT_FILTER, False, 400, "Azure OpenAI", hint="Azure OpenAI"),
    Case("azure no resource", http(404, {"error": {"code": "404", "message": "Resource not found"}}), K.CONFIG, False, 404, "Azure OpenAI", hint="Azure OpenAI"),
    Case("openrouter no credits", http(402, {"error": {"message": "Insufficient credits. Add more using https://openrouter.ai/settings/credits", "code": 402} }), K.USAGE_LIMIT, False, 402, R),
    Case("openrouter unknown model", http(400, {"error": {"message": "foo/bar is not a valid model ID", "code": 400}}), K.CONFIG, False, 400, R, hint=R),
    Case("openrouter no endpoints", http(404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}), K.CONFIG, False, 404, R, hint=R),
    Case("openrouter no auth", http(401, {"error": {"message": "No auth credentials found", "code": 401}}), K.AUTH, False, 401, R, hint=R),
    Case("openrouter upstream", event("openai_chat", {"id": "gen-1", "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}], "error": {"code": 502, "message": "Provider returned error"}}), K.TIMEOUT, True, 502, R, hint=R),
    Case("openrouter free limit", http(429, {"error": {"message": "Rate limit exceeded: free-models-per-day.", "code": 429}}), K.RATE_LIMIT, True, 429, R, hint=R),
    Case("ollama unknown model", http(404, {"error": {"message": 'model "foo" not found, try pulling it first', "type": "api_error"}}), K.CONFIG, False, 404, "Ollama", hint="Ollama"),
    Case("ollama flat error", http(404, {"error": "model 'foo' not found"}), K.CONFIG, False, 404, "Ollama", hint="Ollama"),
    Case("ollama no tools", http(400, {"error": {"message": "registry.ollama.ai/library/x does not support tools"}}), K.CONFIG, False, 400, "Ollama"),
    Case("vllm too long", http(400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.", "type": "BadRequestError", "code": 400}), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("vllm prompt too long", http(400, {"object": "error", "message": "The decoder prompt (length 15983) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.", "type": "BadRequestError", "code": 400}), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("xai too long", http(400, {"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 136973 tokens."}), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("copilot too long", http(400, openai("prompt token count of 129000 exceeds the limit of 128000", "invalid_request_error", "model_max_prompt_tokens_exceeded")), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("kimi too long", http(400, {"error": {"message": "Invalid request: Your request exceeded model token limit: 262144", "type": "invalid_request_error"}}), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("minimax too long", http(400, {"error": {"message": "invalid params, context window exceeds limit (2013)", "type": "invalid_request_error"}}), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("tgi too long", http(422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`", "error_type": "validation"}), K.CONTEXT_OVERFLOW, False, 422, None),
    Case("vllm unknown model", http(404, {"object": "error", "message": "The model `foo` does not exist.", "type": "NotFoundError", "code": 404} ), K.CONFIG, False, 404, None),
    Case("llama.cpp too long", http(400, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error"} }), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("llama.cpp loading", http(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}), K.TIMEOUT, True, 503, None),
    Case("lm studio overflow", http(400, {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens" }), K.CONTEXT_OVERFLOW, False, 400, None),
    Case("deepseek balance", http(402, {"error": {"message": "Insufficient Balance", "type": "unknown_error", "code": "invalid_request_error"}}), K.USAGE_LIMIT, False, 402, None),
    Case("mistral detail", http(401, {"detail": "Unauthorized"}), K.AUTH, False, 401, None),
    Case("mistral capacity", http(429, {"object": "error", "message": "Service tier capacity exceeded for this model.", "type": "invalid_request_error"}), K.RATE_LIMIT, True, 429, None),
    Case("groq json", http(400, openai("Failed to call a function. Please adjust your prompt.", "invalid_request_error", "tool_use_failed")), K.GENERIC, False, 400, None),
    Case("litellm budget", http(400, {"error": {"message": "Budget has been exceeded! Current cost: 10.1, Max budget: 10.0", "type": "budget_exceeded", "code": "400"} }), K.USAGE_LIMIT, False, 400, None),
    Case("proxy budget at 429", http(429, {"error": {"message": "ExceededBudget: over your budget; exceeded budget for key", "type": "budget_exceeded"} }), K.USAGE_LIMIT, False, 429, None),
    Case("nginx entity too large", http(413, HTML), K.CONTEXT_OVERFLOW, False, 413, None),
    Case("proxy forbidden page", http(403, HTML), K.AUTH, False, 403, None),
    Case("proxy wants a password", http(407, HTML), K.CONFIG, False, 407, None),
    Case("redirected", http(301, HTML), K.CONFIG, False, 301, None),
    Case("login page", http(200, HTML, content_type="text/html"), K.CONFIG, False, None, None),
    Case("a page where an error should be", http(400, HTML), K.GENERIC, False, 400, None),
    Case("empty answer", http(200, ""), K.TIMEOUT, True, None, None),
    Case("error with status 200", http(200, openai("Invalid API key", "invalid_request_error")), K.AUTH, False, None, None),
    Case("flood", http(400, '{"error": {"message": "rate limit ' + "x" * 70_000 + '"}}'), K.GENERIC, False, 400, None),
    Case("no body", http(503, ""), K.TIMEOUT, True, 503, None),
    Case("no body and 500", http(500, ""), K.GENERIC, True, 500, None),
    Case("no body and 418", http(418, ""), K.GENERIC, False, 418, None),
    Case("rate words only in the body", http(400, {"error": {"message": "bad", "hint": "see rate limit docs"}}), K.GENERIC, False, 400, None),
    Case("internal words only in the body", http(400, {"error": {"message": "bad", "hint": "internal server error"}}), K.GENERIC, False, 400, None),
]


def connector(os_error: OSError) -> Callable[[], BaseException]:
    key: Any = SimpleNamespace(host="api.test", port=503, ssl=True, is_ssl=True)
    return lambda: aiohttp.ClientConnectorError(key, os_error)


def response_error(status: int, message: str) -> Callable[[], BaseException]:
    def raised() -> BaseException:
        info = aiohttp.RequestInfo(URL("https://api.test"), "POST", CIMultiDictProxy(CIMultiDict[str]()), URL())
        return aiohttp.ClientResponseError(info, (), status=status, message=message)

    return raised


def certificate() -> BaseException:
    key: Any = SimpleNamespace(host="api.test", port=443, ssl=True, is_ssl=True)
    wrong = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed")
    return aiohttp.ClientConnectorCertificateError(key, wrong)


TRANSPORT = [
    Case("connection refused", connector(ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 503)")), K.TIMEOUT, True, None, None),
    Case("no such host", connector(OSError(-2, "Name or service not known")), K.TIMEOUT, True, None, None),
    Case("no network", connector(OSError(101, "Network is unreachable")), K.TIMEOUT, True, None, None),
    Case("connection reset", lambda: ConnectionResetError(104, "Connection reset by peer"), K.TIMEOUT, True, None, None ),
    Case("broken pipe", lambda: BrokenPipeError(32, "Broken pipe"), K.TIMEOUT, True, None, None),
    Case("server disconnected", aiohttp.ServerDisconnectedError, K.TIMEOUT, True, None, None),
    Case("client os error", lambda: aiohttp.ClientOSError(104, "Connection reset by peer"), K.TIMEOUT, True, None, None ),
    Case("connection lost", lambda: aiohttp.ClientConnectionError("Connection lost"), K.TIMEOUT, True, None, None),
    Case("connection closed", lambda: aiohttp.ClientConnectionError("Connection closed"), K.TIMEOUT, True, None, None),
    Case("payload cut", lambda: aiohttp.ClientPayloadError("Response payload is not completed: <TransferEncodingError: 400, message='Not enough data to satisfy transfer length header.'>" ), K.TIMEOUT, True, None, None),
    Case("timed out", TimeoutError, K.TIMEOUT, True, None, None),
    Case("server timeout", lambda: aiohttp.ServerTimeoutError("Timeout on reading data from socket"), K.TIMEOUT, True, None, None),
    Case("bad certificate", certificate, K.CONFIG, False, None, None),
    Case("bad url", lambda: aiohttp.InvalidURL("nonsense"), K.CONFIG, False, None, None),
    Case("proxy refused", response_error(407, "Proxy Authentication Required"), K.CONFIG, False, 407, None),
    Case("proxy bad gateway", response_error(502, "Bad Gateway"), K.TIMEOUT, True, 502, None),
    Case("unexpected eof", text("unexpected EOF"), K.TIMEOUT, True, None, None),
    Case("goaway", text("http2: server sent GOAWAY and closed the connection"), K.TIMEOUT, True, None, None),
    Case("reset internal", text("stream error: stream ID 503; INTERNAL_ERROR; received from peer"), K.TIMEOUT, True, None, None),
    Case("reset no error", text("stream error: stream ID 429; NO_ERROR"), K.TIMEOUT, True, None, None),
    Case("reset refused", text("stream error: stream ID 5; REFUSED_STREAM"), K.TIMEOUT, True, None, None),
    Case("reset cancel", text("stream error: stream ID 5; CANCEL; received from peer"), K.TIMEOUT, True, None, None),
    Case("reset calm", text("stream error: stream ID 5; ENHANCE_YOUR_CALM"), K.TIMEOUT, True, None, None),
    Case("reset protocol", text("stream error: stream ID 5; PROTOCOL_ERROR"), K.GENERIC, False, None, None),
    Case("reset http 1", text("stream error: stream ID 529; HTTP_1_1_REQUIRED"), K.GENERIC, False, None, None),
    Case("a status in words", text("request failed with status 503"), K.TIMEOUT, True, 503, None),
    Case("a status code in words", text("status_code: 429 from upstream"), K.RATE_LIMIT, True, 429, None),
    Case("an http status in words", text("HTTP/1.1 401 from upstream"), K.AUTH, False, 401, None),
    Case("a code alone", text("upstream said 529"), K.OVERLOADED, True, 529, None),
    Case("a port is no status", text("cannot talk to localhost:503"), K.GENERIC, False, None, None),
    Case("a number is no status", text("used 4290 tokens of 5000"), K.GENERIC, False, None, None),
    Case("a path is no status", text("no file at /v/429/x"), K.GENERIC, False, None, None),
    Case("provider found in words", text("claude is overloaded"), K.OVERLOADED, True, None, A),
    Case("provider given outweighs", text("claude is overloaded"), K.OVERLOADED, True, None, B, hint=B),
]

OURS = [
    Case("start-up timeout", failures.StartupTimeout, K.STARTUP_TIMEOUT, True, None, A, hint=A),
    Case("silence timeout", failures.SilenceTimeout, K.STREAM_SILENCE_TIMEOUT, True, None, A, hint=A),
    Case("our deadline", failures.DeadlinePassed, K.TIMEOUT, False, None, A, hint=A),
    Case("premature end", failures.StreamEnded, K.TIMEOUT, True, None, A, hint=A),
    Case("garbled", lambda: failures.Garbled("not an event of this API"), K.TIMEOUT, True, None, A, hint=A),
    Case("another format", event("anthropic_messages", {"choices": []}), K.CONFIG, False, None, A, hint=A),
    Case("another format, chat", event("openai_chat", {"type": "message_start"}), K.CONFIG, False, None, P, hint=P),
    Case("another format, responses", event("openai_responses", {"candidates": []}), K.CONFIG, False, None, P, hint=P),
    Case("another format, gemini", event("gemini", {"choices": []}), K.CONFIG, False, None, G, hint=G),
    Case("missing key", lambda: failures.KeyMissing("none"), K.MISSING_KEY, False, None, A, hint=A),
    Case("disabled", lambda: failures.ProviderDisabled("off"), K.PROVIDER_DISABLED, False, None, A, hint=A),
    Case("filtered", lambda: failures.Filtered("SAFETY"), K.CONTENT_FILTER, False, None, G, hint=G),
    Case("chat interrupted", text("chat interrupted by 503"), K.GENERIC, False, 503, None),
    Case("request interrupted", text("the request was interrupted: overloaded"), K.GENERIC, False, None, None),
    Case("hook denied", lambda: ProviderFailure(ChatError("No.", K.HOOK_DENIED)), K.HOOK_DENIED, False, None, None),
    Case("already classified", lambda: ProviderFailure(ChatError("Busy.", K.OVERLOADED, None, A, True, 529)), K.OVERLOADED, True, 529, A),
    Case("cancelled from below", asyncio.CancelledError, K.TIMEOUT, True, None, A, hint=A),
    Case("anything else", text("the moon is full"), K.GENERIC, False, None, None),
    Case("no words", text(""), K.GENERIC, False, None, None),
]

TRIALS = [
    Case("a budget with its amount", http(403, openai("Budget of US$5.00 exceeded for this key", None)), K.USAGE_LIMIT, False, 403, None),
    Case("a budget with two amounts", http(400, openai("ExceededBudget: Current cost: 5.2, Max budget: 5.0 reached", None)), K.USAGE_LIMIT, False, 400, None),
    Case("a monthly budget as text", text("you have spent the whole monthly budget of $20"), K.USAGE_LIMIT, False, None, None),
    Case("a quota with its amount", http(429, openai("Quota of $5.00 exceeded", None)), K.USAGE_LIMIT, False, 429, None),
    Case("a quota at 403", http(403, openai("quota of 100 requests exceeded", None)), K.USAGE_LIMIT, False, 403, None),
    Case("a thinking budget is no money", http(400, anthropic("invalid_request_error", "thinking.budget_tokens: budget_tokens of 9000 exceeded max_tokens")), K.CONFIG, False, 400, A, hint=A),
    Case("aws, no credentials in a 500", http(500, openai("NoCredentialsError: Unable to locate credentials", None)), K.CONFIG, False, 500, None),
    Case("aws, refreshing", http(500, openai("failed to refresh cached credentials, no EC2 IMDS role found, request timed out", None)), K.CONFIG, False, 500, None),
    Case("aws, chain", text("operation error Bedrock Runtime: NoCredentialProviders: no valid providers in chain"), K.CONFIG, False, None, B),
    Case("google, automatic", text("DefaultCredentialsError: Could not automatically determine credentials"), K.CONFIG, False, None, None),
    Case("azure, identity", text("DefaultAzureCredential failed to retrieve a token: authentication unavailable"), K.CONFIG, False, None, "Azure OpenAI"),
    Case("js, providers", http(502, "CredentialsProviderError: Could not load credentials from any providers"), K.CONFIG, False, 502, None),
    Case("a key that was refused is no riddle", http(401, openai("no credentials found", None)), K.AUTH, False, 401, None),
    *(
        Case(f"{status} is not retried for {word!r}", http(status, openai(word, None)), K.GENERIC, False, status, None)
        for status in (400, 409, 422)
        for word in ("server overloaded", "the tool timed out", "connection reset", "service unavailable", "internal server error",
                     "rate limit is a word in this prompt", "http/2 stream reset: cancel")
    ),
    Case("closed in its headers", lambda: aiohttp.ServerDisconnectedError("<RawResponseMessage(version=HttpVersion(1, 1), code=500)>"), K.TIMEOUT, True, None, A, hint=A),
    Case("reset while writing", lambda: aiohttp.ClientConnectionResetError("Cannot write to closing transport"), K.TIMEOUT, True, None, A, hint=A),
    Case("reset by peer", lambda: aiohttp.ClientOSError(104, "Connection reset by peer"), K.TIMEOUT, True, None, A, hint=A),
    Case("a page by its type", http(503, "rate limit quota billing overloaded", content_type="text/html; charset=utf-8"), K.TIMEOUT, True, 503, None),
    Case("a page after a comment", http(502, "<!-- a proxy's quota --><html>invalid api key</html>"), K.TIMEOUT, True, 502, None),
    Case("a page after a mark", http(502, "\ufeff<html>invalid api key</html>"), K.TIMEOUT, True, 502, None),
    Case("an object after a mark", http(400, '\ufeff{"error": {"message": "credit balance is too low"}}'), K.USAGE_LIMIT, False, 400, None),
    Case("a page with a good status", http(200, '{"error": {"message": "overloaded"}}', content_type="text/html"), K.CONFIG, False, None, None),
    Case("not streamed, chat", http(200, '{"id": "1", "object": "chat.completion", "choices": [{"message": {"content": "hi"}}]}', content_type="application/json"), K.CONFIG, False, None, None),
    Case("not streamed, messages", http(200, '{"type": "message", "role": "assistant", "content": [{"type": "text"}]}', content_type="application/json"), K.CONFIG, False, None, None),
    Case("not streamed, responses", http(200, '{"object": "response", "status": "completed", "error": null, "output": []}', content_type="application/json"), K.CONFIG, False, None, None),
    Case("not streamed, gemini", http(200, '{"candidates": [{"content": {"parts": []}}]}', content_type="application/json"), K.CONFIG, False, None, None),
]

SPENT = [
    "budget of US$5.00 exceeded",
    "usage limit of $20 reached for this month",
    "You have hit your spending cap of 50 EUR",
    "Your team has reached its monthly limit of €100",
    "Your credits are exhausted",
    "This request requires more credits, or fewer max_tokens",
    "Key limit exceeded (monthly limit)",
    "Your monthly budget (USD 20.00) has been exceeded",
    "The budget of this project,\nUS$ 1,000.00, is exhausted",
    "ExceededBudget: User over budget. Spend=10.5, Budget=10",
    "project has run out of budget ($12.00)",
    "Crossed budget: $5.00/$5.00",
    "over its monthly spend of $50",
    "You are over your credit limit of $5",
    "This key has used $10.00 of its $10.00 limit",
    "You have no credits left",
    "Your account balance (-$0.03) is negative",
]
NOT_SPENT = [
    "`max_tokens` exceeds the thinking budget of 1024",
    "no budget parameter allowed",
    "no credit for a citation without a source",
    "the reasoning budget is over what this deployment takes",
    "a limit was hit; credits are not charged",
]
UNRESOLVED = [
    "AWS credentials not configured",
    "Missing credentials in config, if using AWS_CONFIG_FILE, set AWS_SDK_LOAD_CONFIG=1",
    "The config profile (prod) could not be found",
    "Token has expired and refresh failed",
    "AWS credentials could not be resolved",
    "credentials of the machine's role cannot be loaded",
    "Error loading SSO Token: Token for prod does not exist",
    "Error retrieving credentials from the instance profile metadata service",
    "getting credentials: connection refused",
    "MetadataServiceError: failed to fetch credentials",
    "EnvironmentCredential: Authentication unavailable. Environment variables are not fully configured.",
    "Partial credentials found in env, missing: AWS_SECRET_ACCESS_KEY",
    "AWS credentials are invalid or missing",
    "no AWS credentials",
    "RefreshError: ('invalid_grant: Token has been expired or revoked.')",
    "TokenRefreshRequired: Token refresh required but refresh failed",
    "Web identity token file not found: cannot assume role",
    "Unable to acquire credentials",
]
PAGES = [
    "<center><h1>502 Bad Gateway</h1></center> quota billing",
    "\n" * 600 + "<html>unauthorized",
    "\ufeff\u200b <!-- proxy --> api key expired",
    "<div>rate limit</div>",
    "<br/>overloaded",
    "<svg xmlns='x'>quota</svg>",
    "<a href='/status'>billing</a>",
    "<!--[if IE]> unauthorized",
]
WORDED = [
    *(Case(f"{status} money: {said}", http(status, {"error": {"message": said}}), K.USAGE_LIMIT, False, status, None) for said in SPENT for status in (400, 403, 429)),
    *(Case(f"{status} no money: {said}", http(status, {"error": {"message": said}}), K.GENERIC, False, status, None) for said in NOT_SPENT for status in (400, 422)),
    *(Case(f"{status} nobody's key: {said}", http(status, {"error": {"message": said}}), K.CONFIG, False, status, None) for said in UNRESOLVED for status in (400, 500, 503)),
    *(Case(f"a page: {page.strip()[:12]!r}", http(502, page), K.TIMEOUT, True, 502, None) for page in PAGES),
    Case("a page by its type, however its header is written", http(403, "credit balance is too low", **{"Content-Type": "TEXT/HTML"}), K.AUTH, False, 403, None),
    Case("half a surrogate pair in an object", http(402, r'{"error": {"message": "half \ud800 of it"}}'), K.USAGE_LIMIT, False, 402, None),
    Case("a head that is no HTTP", lambda: BadStatusLine("SSH-2.0"), K.CONFIG, False, None, None),
    Case("a head that is broken", lambda: BadHttpMessage("400, Data after connection: close"), K.TIMEOUT, True, None, None),
    Case("a pipe that broke", BrokenPipeError, K.TIMEOUT, True, None, None),
    Case("a connection that was given up", ConnectionAbortedError, K.TIMEOUT, True, None, None),
    Case("an end in the middle", lambda: asyncio.IncompleteReadError(b"abc", 10), K.TIMEOUT, True, None, None),
    Case("TLS that broke", lambda: aiohttp.ClientOSError(1, "[SSL: APPLICATION_DATA_AFTER_CLOSE_NOTIFY] application data after close notify (_ssl.c:2706)"), K.TIMEOUT, True, None, None),
    Case("bytes are no status", lambda: aiohttp.ClientPayloadError("Response payload is not completed: <ContentLengthError: 400, message='Not enough data to satisfy content length header (received 69 of 429 bytes).'>"), K.TIMEOUT, True, None, None),
]

CASES = [*ANTHROPIC, *OPENAI, *GOOGLE, *OTHERS, *TRANSPORT, *OURS, *TRIALS, *WORDED]
