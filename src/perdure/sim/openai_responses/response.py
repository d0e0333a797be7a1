"""The response object and its output items, in every state they go through."""

from perdure.sim.ask import Ask
from perdure.sim.document import Json, Problem, is_object
from perdure.sim.openai_responses.items import ENCRYPTED
from perdure.sim.openai_responses.order import LINK
from perdure.sim.script import (
    Call,
    Fault,
    GatePart,
    Pause,
    Reasoning,
    Search,
    Step,
    Text,
    arguments,
    output_tokens,
    reasoning_tokens,
)
from perdure.sim.signatures import seal


class Response:
    """What one step becomes for one caller."""

    def __init__(self, ask: Ask, step: Step, created: int) -> None:
        self.ask = ask
        self.step = step
        self.id = f"resp_{ask.id}"
        self._created = created

    def whole(self) -> dict[str, Json]:
        """The finished response."""
        parts = [part for part in self.step.parts if not isinstance(part, Pause | GatePart | Fault)]
        return self.document(self.status, [self.item(part, index) for index, part in enumerate(parts)])

    @property
    def status(self) -> str:
        """How the response ends."""
        return "incomplete" if self.step.finish == "length" else "completed"

    def failure(self, problem: Problem, output: list[Json]) -> dict[str, Json]:
        """The response of a model that failed."""
        response = self.document("failed", output)
        response["error"] = {"code": problem.code, "message": problem.message}
        return response

    def document(self, status: str, output: list[Json] | None = None) -> dict[str, Json]:
        """The response object in one of its states."""
        options = self.ask.options
        reasoning = options.get("reasoning")
        done = status in ("completed", "incomplete")
        return {
            "id": self.id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": self.ask.background,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "instructions": options.get("instructions"),
            "max_output_tokens": options.get("max_output_tokens"),
            "model": self.ask.model,
            "output": output or [],
            "parallel_tool_calls": options.get("parallel_tool_calls") is not False,
            "previous_response_id": options.get("previous_response_id"),
            "prompt_cache_key": options.get("prompt_cache_key"),
            "reasoning": reasoning if is_object(reasoning) else {"effort": None, "summary": None},
            "service_tier": options.get("service_tier") or "default",
            "store": options.get("store") is not False,
            "temperature": options.get("temperature") or 1.0,
            "text": options.get("text") or {"format": {"type": "text"}},
            "tool_choice": options.get("tool_choice") or "auto",
            "tools": options.get("tools") or [],
            "top_p": options.get("top_p") or 1.0,
            "truncation": options.get("truncation") or "disabled",
            "usage": self.usage() if done else None,
            "user": options.get("user"),
            "metadata": options.get("metadata") or {},
        }

    def usage(self) -> dict[str, Json]:
        """The token figures, counted or scripted."""
        said, figures = self.step.usage, self.ask.figures
        prompt = figures.prompt if said.input is None else said.input
        output = output_tokens(self.step) if said.output is None else said.output
        return {
            "input_tokens": prompt,
            "input_tokens_details": {
                "cached_tokens": figures.cache_read if said.cache_read is None else said.cache_read,
                "cache_write_tokens": figures.cache_write if said.cache_write is None else said.cache_write,
            },
            "output_tokens": output,
            "output_tokens_details": {
                "reasoning_tokens": reasoning_tokens(self.step) if said.reasoning is None else said.reasoning
            },
            "total_tokens": prompt + output,
        }

    def item(self, part: Text | Reasoning | Call | Search, index: int) -> dict[str, Json]:
        """The finished output item that a part becomes."""
        match part:
            case Text():
                return self._message(part, index)
            case Reasoning():
                return self._reasoning(part, index)
            case Call(name="computer") if self.screen:
                return {
                    "id": self._id("cu", index),
                    "type": "computer_call",
                    "status": "completed",
                    "call_id": part.id or f"call_{self.ask.id}{index:02d}",
                    "pending_safety_checks": [],
                    **part.input,
                }
            case Call():
                return {
                    "id": self._id("fc", index),
                    "type": "function_call",
                    "status": "completed",
                    "call_id": part.id or f"call_{self.ask.id}{index:02d}",
                    "name": part.name,
                    "arguments": arguments(part),
                }
            case Search():
                return {
                    "id": self._id("ws", index),
                    "type": "web_search_call",
                    "status": "failed" if part.error else "completed",
                    "action": self._action(part),
                }

    def _message(self, part: Text, index: int) -> dict[str, Json]:
        short = self.step.finish == "length" and part is self.step.parts[-1]
        return {
            "id": self._id("msg", index),
            "type": "message",
            "status": "incomplete" if short else "completed",
            "role": "assistant",
            "content": [self.content(part.text, self.annotations(part))],
        }

    def content(self, text: str, annotations: list[Json]) -> dict[str, Json]:
        """The one part of a message."""
        if self.step.finish == "refusal":
            return {"type": "refusal", "refusal": text}
        return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}

    def _reasoning(self, part: Reasoning, index: int) -> dict[str, Json]:
        shown = self._summarized and not part.redacted
        item: dict[str, Json] = {
            "id": self._id("rs", index),
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": part.text}] if shown else [],
        }
        if self._includes("reasoning.encrypted_content"):
            item["encrypted_content"] = seal(ENCRYPTED, part.text)
        return item

    def _action(self, search: Search) -> dict[str, Json]:
        action: dict[str, Json] = {"type": "search", "query": search.query, "queries": [search.query]}
        if self._includes("web_search_call.action.sources"):
            action["sources"] = [{"type": "url", "url": source.url} for source in search.sources]
        return action

    def annotations(self, part: Text) -> list[Json]:
        """The sources that a text cites."""
        searches = [other for other in self.step.parts if isinstance(other, Search)] if part.cited else []
        return [
            {
                "type": "url_citation",
                "start_index": 0,
                "end_index": len(part.text),
                "title": source.title,
                "url": source.url,
            }
            for search in searches
            for source in search.sources
        ]

    def _id(self, prefix: str, index: int) -> str:
        """An item's id; after reasoning it says so, for the reasoning must come back with it."""
        own = f"{prefix}_{self.ask.id}{index:02d}"
        parts = [part for part in self.step.parts if not isinstance(part, Pause | GatePart | Fault)]
        before = index - 1
        if prefix == "rs" or before < 0 or not isinstance(parts[before], Reasoning):
            return own
        return f"{own}{LINK}{before:02d}"

    @property
    def screen(self) -> bool:
        """Whether there is a screen to use."""
        tools = self.ask.options.get("tools")
        return isinstance(tools, list) and any(is_object(tool) and tool.get("type") == "computer" for tool in tools)

    @property
    def _summarized(self) -> bool:
        reasoning = self.ask.options.get("reasoning")
        return is_object(reasoning) and reasoning.get("summary") is not None

    def _includes(self, name: str) -> bool:
        include = self.ask.options.get("include")
        return isinstance(include, list) and name in include
