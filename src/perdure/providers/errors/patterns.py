"""The vendors' words for what went wrong, as found in their errors. All are matched against lower-case text.

What may stand between two words has a bound, so that no text takes more than its length to match.
"""

import re


def _any(*expressions: str) -> re.Pattern[str]:
    return re.compile("|".join(expressions), re.DOTALL)


WITHHELD = _any(r'"code"\s*:\s*"content_filter"')
"""Azure refuses a prompt so, before it says anything."""

INTERRUPTED = _any(r"\b(?:chat|request|operation) (?:was )?interrupted")

BROKEN_CHAIN = _any(
    r"no tool output found for",
    r"no tool call found for",
    r"without its required '?\"?reasoning",
    r"without its required following item",
    r"previous_response_not_found",
    r"previous response (?:with id )?.{0,120}not found",
)

BROKEN_OFF = _any(
    r"(?:stream|response) (?:ended|closed|terminated|finished) (?:before|unexpectedly|prematurely)",
    r"unexpected end of (?:stream|json|file)",
    r"payload is not completed",
    r"incomplete (?:chunked )?read",
    r"premature(?:ly)? (?:close|end)",
    r"contentlengtherror",
    r"transferencodingerror",
)

OVERLOADED = _any(r"overloaded", r"\bslow_down\b", r"\bat capacity\b")

_LIMIT = r"(?:limit|cap|allowance|ceiling|quota)"
_PAID = r"(?:[$€£¥]|\b(?:usd|eur|gbp|dollars?|euros?|credits?)\b)"
_SPENT = (
    r"\b(?:exceed(?:ed|s|ing)?|reached|exhausted|depleted|used (?:up|all)|spent|hit|crossed|surpassed|consumed|"
    r"(?:ran|run|running) out)\b"
)
_BUDGET = r"(?<!thinking )(?<!thinking_)(?<!reasoning )(?<!reasoning_)(?<!token )(?<!token_)\bbudget(?![_ ]tokens)"
_SAME = r"(?:[^.;!?]|\.\d)"
"""Anything within a sentence; an amount has a point, too."""

BUDGET = _any(
    r"insufficient[_ ](?:quota|credits?|balance|funds)",
    rf"{_BUDGET}{_SAME}{{0,60}}{_SPENT}",
    rf"{_SPENT}{_SAME}{{0,40}}{_BUDGET}",
    rf"\bover (?:\w+ ){{0,3}}(?:{_BUDGET}|credit|spend)",
    r"\bno (?:more |remaining )?(?:budget|credits?)\b[^\n]{0,12}\b(?:left|remaining|remains?|available)\b",
    r"exceededbudget|budgetexceeded|budget_exceeded",
    rf"\b{_LIMIT}\b{_SAME}{{0,20}}{_PAID}{_SAME}{{0,30}}{_SPENT}",
    rf"{_SPENT}{_SAME}{{0,40}}\b{_LIMIT}\b{_SAME}{{0,20}}{_PAID}",
    rf"{_PAID}[\d.,\s]{{0,12}}\bof (?:\w{{1,12}} )?{_PAID}[\d.,\s]{{0,12}}\b{_LIMIT}\b",
    rf"(?:usage|spend(?:ing)?|credit|key)[_ ]{_LIMIT}[^\n]{{0,30}}{_SPENT}",
    rf"{_SPENT}[^\n]{{0,20}}\b(?:spend(?:ing)?|credit)[_ ]{_LIMIT}",
    rf"\b(?:{_SPENT}|over)[^\n]{{0,30}}\bspend(?:ing)?\b[^\n]{{0,20}}{_PAID}",
    rf"\bcredits?\b{_SAME}{{0,20}}{_SPENT}",
    rf"{_SPENT}{_SAME}{{0,20}}\bcredits\b",
    r"(?:requires?|needs?|not enough|buy|purchase) (?:more |additional )?credits",
    r"spend(?:ing)?[_ ]limit",
    r"credit balance is too low",
    r"\bbalance\b[^\n]{0,30}\b(?:negative|too low|insufficient|not enough)\b",
    r"(?:reached|exceeded) your (?:specified )?(?:api )?(?:usage|monthly) limit",
    r"billing_hard_limit",
    r"out of credits",
)

MONEY = _any(r"\bquota", r"billing", r"payment required")

CREDENTIALS = _any(
    r"authentication",
    r"unauthorized",
    r"unauthenticated",
    r"(?:invalid|incorrect|wrong|expired|missing|revoked|no) (?:x-)?api[-_ ]?key",
    r"api[-_ ]?key (?:is |was )?(?:not valid|invalid|not found|expired|missing|incorrect)",
    r"api_key_invalid",
    r"invalid_api_key",
    r"invalid bearer token",
    r"unrecognizedclientexception",
    r"invalidsignatureexception",
    r"expiredtokenexception",
    r"security token included in the request is (?:invalid|expired)",
)

UNRESOLVED = _any(
    r"(?:could not|cannot|can't|failed to|unable to) (?:\w+ ){0,2}"
    r"(?:load|locate|resolve|find|determine|refresh|retrieve|get|obtain|acquire|fetch)[^\n]{0,30}credential",
    r"credentials? (?:(?:were|was|are|is|have|has) )?"
    r"(?:not (?:been )?(?:found|set|configured|provided|available)|missing|unavailable)",
    r"credentials? (?:[\w']+ ){0,4}?(?:cannot|could not|can't|couldn't) be "
    r"(?:loaded|located|resolved|found|determined|refreshed|retrieved|obtained)",
    r"missing (?:\w+ )?credentials",
    r"(?:error|failed|failure)[^\n]{0,30}\b(?:fetch|retriev|gett|obtain|load|resolv|acquir)\w*[^\n]{0,30}credential",
    r"(?:getting|fetching|retrieving|loading|resolving|acquiring|obtaining) (?:\w+ ){0,3}credentials?\b[^\n]{0,60}"
    r"(?:fail|error|refused|timed? ?out|timeout|denied|unreachable)",
    r"credentials? (?:\w+ ){0,2}(?:is |are )?(?:invalid or )?missing",
    r"partial credentials",
    r"credential(?:s)?:? authentication unavailable",
    r"\b(?:refresherror|tokenrefreshrequired|unauthorizedssotokenerror|invalid_grant)\b",
    r"token refresh required",
    r"web identity token",
    r"cannot assume (?:the )?role",
    r"profile \S{1,64} could not be found",
    r"config profile [^\n]{0,60}could not be found",
    r"error (?:loading|when retrieving) (?:\w+ ){0,3}(?:sso )?token",
    r"token has expired and refresh failed",
    r"\bsso session\b[^\n]{0,60}(?:expired|invalid)",
    r"\bno (?:valid )?(?:(?:aws|google|azure|cloud|default) )?credentials?\b",
    r"nocredential(?:s|provider)",
    r"credentialsprovidererror",
    r"credentialretrievalerror",
    r"partialcredentialserror",
    r"defaultcredentialserror",
    r"no valid providers in chain",
    r"credentialunavailable",
    r"defaultazurecredential failed",
    r"no ec2 imds role found",
)
"""Nobody could say whose key to use: a machine without a role, a profile that is not there."""

FORBIDDEN = _any(r"forbidden", r"permission[_ ]denied", r"permission_error", r"accessdeniedexception")

RATE = _any(
    r"rate[-_ ]?limit", r"too many requests", r"resource_exhausted", r"throttl", r"tokens per min", r"requests per min"
)

UNTRUSTED = _any(r"certificate[_ ]verify[_ ]failed", r"clientconnectorcertificateerror", r"self[- ]signed certificate")

RETRYABLE_RESETS = frozenset({"no_error", "internal_error", "refused_stream", "cancel", "enhance_your_calm"})

UNREACHABLE = _any(
    r"cannot connect to host",
    r"name or service not known",
    r"name resolution",
    r"nodename nor servname",
    r"no such host",
    r"network is unreachable",
    r"no route to host",
    r"connection refused",
    r"connect call failed",
)

TRANSPORT = _any(
    r"connection (?:reset|refused|aborted|closed|lost|error)",
    r"connection to the server was lost",
    r"econn(?:reset|refused|aborted)",
    r"\beof\b",
    r"broken pipe",
    r"goaway",
    r"\bunavailable",
    r"timed out",
    r"time[-_ ]?out\b",
    r"timeouterror",
    r"server ?disconnected",
    r"connection ?reset",
    r"closing transport",
    r"bad gateway",
    r"deadline[_ ]exceeded",
    r"remote end closed",
    r"model_not_ready",
)

CONTEXT = _any(
    r"context[_ ]length",
    r"maximum context",
    r"prompt (?:is )?too long",
    r"input (?:is |was )?too (?:long|large)",
    r"context[_ ]window[_ ]exceeded",
    r"exceeds? (?:the |this |your )?(?:model'?s? )?(?:available )?context",
    r"exceed context limit",
    r"context limit",
    r"reduce the length of the (?:messages|input|prompt)",
    r"input token count.{0,80}exceeds",
    r"request_too_large",
    r"too many input tokens",
    r"context the overflows",
    r"longer than the maximum model length",
    r"maximum prompt length",
    r"prompt token count.{0,40}exceeds",
    r"context window exceeds",
    r"exceeded model token limit",
    r"max_new_tokens`? must be <=",
)

CONFIG = _any(
    r"(?:invalid|unknown|unsupported|unrecognized) model",
    r"model[_ ](?:not[_ ]found|name is invalid|identifier is invalid|not supported)",
    r"\bmodels?\b[^\n]{0,120}(?:not found|not exist|not supported|not available|unsupported)",
    r"not found[^\n]{0,40}\bmodel\b",
    r"not_found_error[^\n]{0,20}model:",
    r"no such model",
    r"not a valid model",
    r"not supported (?:for|with|by) this model",
    r"no endpoints found",
    r"access to (?:the )?model",
    r"deploymentnotfound",
    r"on-demand throughput isn",
    r"malformed (?:request|config)",
    r"unsupported (?:parameter|value)",
    r"unsupported_(?:parameter|value)",
    r"(?:unknown|unrecognized) (?:parameter|name|request argument|field)",
    r"extra inputs are not permitted",
    r"invalid schema for",
    r"does not support (?:tools|images?|image input|function|thinking|reasoning|streaming|(?:the )?effort)",
    r"(?:deprecated|cannot both be specified) for this model",
    r"invalidurl",
    r"unsupported proxy",
    r"proxyconnectionerror",
    r"max_tokens: \d+ >",
    r"budget_tokens",
)

FILES = _any(r"\b(?:image|picture|pdf|document|file|attachment|media)s?(?:\b|_)", r"\bmime", r"\binline_?data")
"""What a provider says about a picture or a document that it refuses."""

SERVER_FAULT = _any(r"internal[_ ](?:server )?error", r"\bserver[_ ]error", r"\bapi_error\b")
