"""Transcripts that are hard to carry from one provider to another, each with what makes it hard."""

from msgspec import structs
from tests.providers.pictures import PDF, PNG, picture
from tests.providers.routes import assistant, tool, user

from perdure.core.message import (
    File,
    FileReference,
    FinishReason,
    Kind,
    Media,
    NewMessage,
    NoticePart,
    ProviderMetadata,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Visibility,
)
from perdure.providers.request import FileContent

FILES = {
    "png": FileContent("a.png", "image/png", PNG),
    "pdf": FileContent("b.pdf", "application/pdf", PDF),
    "big": FileContent("big.png", "image/png", picture(5000, 4000)),
    "liar": FileContent("liar.png", "image/png", b"this is no picture"),
    "text": FileContent("notes.md", "text/markdown", b"# Notes\n"),
    "binary": FileContent("x.txt", "text/plain", b"\x00\x01"),
}

STRANGER = ProviderMetadata("somebody_else", "unheard-of", {"signature": "c2lnbmVk", "block": {"type": "alien"}})
CALL = ToolCall("call_1", "look", "{}")
RESULT = ToolResult("call_1", "look", "seen")
SEARCH = ToolCall("srv_1", "web_search", '{"query":"x"}', provider_executed=True)
FOUND = ToolResult("srv_1", "web_search", "a page", provider_executed=True, provider_metadata=STRANGER)


def _file(name: str) -> File:
    return File(name, FILES[name].name if name in FILES else "gone.png", "image/png")


TRANSCRIPTS: dict[str, list[NewMessage]] = {
    "a call nobody answered": [user("hi"), assistant("I look.", CALL), user("well?")],
    "a call at the very end": [user("hi"), assistant(CALL)],
    "a result nobody asked for": [user("hi"), tool(RESULT), user("well?")],
    "a result first of all": [tool(RESULT), user("hi")],
    "two results for one call": [user("hi"), assistant(CALL), tool(RESULT), tool(RESULT), user("well?")],
    "one of two calls answered": [
        user("hi"),
        assistant(CALL, ToolCall("call_2", "read_file", '{"path": "a"}')),
        tool(ToolResult("call_2", "read_file", "text")),
        user("well?"),
    ],
    "results in another order": [
        user("hi"),
        assistant(CALL, ToolCall("call_2", "look", "{}")),
        tool(ToolResult("call_2", "look", "second"), ToolResult("call_1", "look", "first")),
    ],
    "results apart": [
        user("hi"),
        assistant(CALL, ToolCall("call_2", "look", "{}")),
        tool(RESULT),
        tool(ToolResult("call_2", "look", "second")),
    ],
    "somebody speaks before the result": [user("hi"), assistant(CALL), user("wait!"), tool(RESULT), user("go on")],
    "steered after the result": [user("hi"), assistant(CALL), tool(RESULT), user("rather look left")],
    "the same id in every step": [
        user("hi"),
        assistant(CALL),
        tool(RESULT),
        assistant(CALL),
        tool(RESULT),
        assistant(CALL, CALL),
        tool(RESULT, RESULT),
    ],
    "illegal ids": [
        user("hi"),
        assistant(ToolCall("weird id/ü:1", "look", "{}"), ToolCall("x" * 90, "look", "{}"), ToolCall("", "look", "{}")),
        tool(ToolResult("weird id/ü:1", "look", "a"), ToolResult("x" * 90, "look", "b"), ToolResult("", "look", "c")),
    ],
    "ids that differ only in what is illegal": [
        user("hi"),
        assistant(ToolCall("a:1", "look", "{}"), ToolCall("a/1", "look", "{}")),
        tool(ToolResult("a:1", "look", "a"), ToolResult("a/1", "look", "b")),
    ],
    "an invented tool name": [
        user("hi"),
        assistant(ToolCall("call_1", "look around, please! " * 6, "{}")),
        tool(ToolResult("call_1", "look around", "no such tool", is_error=True)),
    ],
    "arguments that are no object": [
        user("hi"),
        assistant(
            ToolCall("c1", "look", ""),
            ToolCall("c2", "look", "not json"),
            ToolCall("c3", "look", "[1,2]"),
            ToolCall("c4", "look", '{"path": "cut'),
            ToolCall("c5", "look", "null"),
        ),
        tool(*(ToolResult(f"c{n}", "look", "bad arguments", is_error=True) for n in range(1, 6))),
    ],
    "an interrupted answer": [
        user("hi"),
        structs.replace(assistant("Let me", CALL), finish_reason=FinishReason.INTERRUPTED),
        tool(ToolResult("call_1", "look", "interrupted before it produced a result", is_error=True)),
        user("again"),
    ],
    "a thought cut off": [user("hi"), assistant(Reasoning("I was about to")), user("again")],
    "only a thought, at the end": [user("hi"), assistant(Reasoning("Hm."))],
    "a stranger's thoughts": [
        user("hi"),
        assistant(Reasoning("Signed elsewhere.", provider_metadata=STRANGER), "Hello."),
        assistant(Reasoning("", provider_metadata=STRANGER), CALL),
        tool(RESULT),
    ],
    "a stranger's search": [user("hi"), assistant(SEARCH, FOUND, "Found it."), user("thanks")],
    "a stranger's search and a call": [user("hi"), assistant(SEARCH, FOUND, CALL), tool(RESULT)],
    "a search without its result": [user("hi"), assistant(SEARCH, "Hm."), user("well?")],
    "nothing but a search without its result": [user("hi"), assistant(SEARCH), user("well?")],
    "a found page before its search": [user("hi"), assistant(FOUND, SEARCH), user("well?")],
    "a found page under another name": [
        user("hi"),
        assistant(SEARCH, structs.replace(FOUND, tool="web_fetch")),
        user("well?"),
    ],
    "a search repeated under one id": [
        user("hi"),
        assistant(SEARCH, FOUND, SEARCH, FOUND),
        user("more"),
        assistant(SEARCH, FOUND),
        user("more"),
    ],
    "a found page outside an answer": [user("hi", FOUND), tool(FOUND), user("well?")],
    "blank parts": [
        user("", "  ", "hi", "\n"),
        assistant("", " \n", CALL, ""),
        tool(ToolResult("call_1", "look", "")),
        assistant("  "),
        user(" "),
        user("well?"),
    ],
    "nothing at all": [],
    "nothing but blanks": [user(" "), assistant("")],
    "an answer first": [assistant("Welcome."), user("hi")],
    "an answer last": [user("hi"), assistant("Hello.")],
    "two answers in a row": [user("hi"), assistant("Hello."), assistant("And welcome."), user("thanks")],
    "a pause in somebody's tools": [
        user("hi"),
        structs.replace(assistant("Searching…", SEARCH, FOUND), finish_reason=FinishReason.PAUSED),
    ],
    "pictures and documents": [
        user("see", _file("png"), _file("pdf"), _file("text")),
        assistant(CALL),
        tool(ToolResult("call_1", "look", "", media=(Media("png", "image/png", "a.png"),))),
        user("and?"),
    ],
    "an error with a picture": [
        user("hi"),
        assistant(CALL, ToolCall("call_2", "look", "{}")),
        tool(
            ToolResult("call_1", "look", "no", is_error=True, media=(Media("png", "image/png", "a.png"),)),
            ToolResult("call_2", "look", "seen"),
        ),
    ],
    "files that are not what they say": [user(_file("liar"), _file("binary"), _file("big"), _file("gone"))],
    "files of the answer": [user("hi"), assistant("Here.", _file("png"), Source("1", "https://x.test")), user("ok")],
    "lines somebody points at": [user(FileReference("a.py", 1, 2, "x = 1"), "why?")],
    "for people only": [
        user("hi"),
        structs.replace(assistant("Summarizing…", CALL), kind=Kind.COMPACTION),
        structs.replace(assistant(NoticePart("cut", "The answer was cut.")), visibility=Visibility.USER),
        assistant(NoticePart("length", "cut"), "Hello."),
        user("ok"),
    ],
    "a summary first": [
        NewMessage(role=Role.USER, parts=(Text("So far: …"),), visibility=Visibility.MODEL, kind=Kind.BOUNDARY),
        assistant(CALL),
        tool(RESULT),
    ],
    "a system row in between": [user("hi"), NewMessage(role=Role.SYSTEM, parts=(Text("Be brief."),)), assistant("ok")],
    "odd characters": [user("a\u0000b \ud83d lone \ufffe"), assistant("ok \udfff"), user("\u200b!")],
}
