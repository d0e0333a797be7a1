"""What the demo model does next, read off the history alone: build, test, fix, report, or just answer."""

import re
from dataclasses import dataclass

from perdure.sim.ask import Answered, Ask, Called
from perdure.sim.demo import planning, talk, team
from perdure.sim.demo.forms import fill
from perdure.sim.demo.programs import Program, named, wanted
from perdure.sim.document import Json
from perdure.sim.script import Call, Part, Reasoning, Step, Text

_TASK = re.compile(
    r"\b(write|build|create|make|implement|code|program|script|develop|fix|test|app|function|tool|generate)\b",
    re.IGNORECASE,
)
_GO_ON = re.compile(
    r"\W*(continue|go on|carry on|keep going|proceed|yes|do it|(implement|carry out) the plan)\b", re.IGNORECASE
)
_FAILED = re.compile(r"FAILED|Traceback|Error:|exit[_ ]code\W+[1-9]", re.IGNORECASE)
_ENDED = re.compile(r"\s*\[Exit code [^\]]*\]\s*$")
_NUMBER = re.compile(r"\b(\d{1,3})\b")
_TEMPLATES = ("python", "blank")
PATIENCE = 2
"""Failures of one kind of call before the agent gives up."""


def step(ask: Ask) -> Step:
    """The next step of the demo."""
    offered = frozenset(tool.name for tool in ask.tools)
    if team.exploring(ask):
        return team.report(ask)
    if team.wanted(ask, offered):
        return team.step(ask)
    request = _request(ask)
    if planning.PROPOSE in offered and (planning.begun(ask) or _TASK.search(request) or named(request)):
        return planning.step(ask, wanted(request), offered)
    if not (ask.work or _TASK.search(request) or named(request)):
        return talk.step(ask)
    if {"write_file", "execute"} <= offered:
        return Builder(ask, wanted(request), offered).step()
    return talk.step(ask)


def _request(ask: Ask) -> str:
    """What the user wants; whoever only says to go on, or answers a question, wants what they wanted before."""
    if not (_GO_ON.match(ask.prompt) or planning.begun(ask)):
        return ask.prompt
    spoken = [said.text for said in ask.history if said.role == "user" and not _GO_ON.match(said.text)]
    return next((text for text in reversed(spoken) if _TASK.search(text) or named(text)), ask.prompt)


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds one program: workspace, files, tests, the fix, a last run, the report."""

    ask: Ask
    program: Program
    offered: frozenset[str]

    def step(self) -> Step:
        """What follows from the calls of this turn and their results."""
        last = self._last()
        if last is None:
            return self._create() if self._needs_workspace else self._write()
        call, result = last
        if _broken(call, result):
            return self._recover(call, result)
        match call.name:
            case "create_workspace" | "start_workspace" | "list_templates":
                return self._write()
            case "write_file" if self._ran == 0:
                return self._run("Both files are in place. Now the tests.")
            case "write_file" | "edit_files":
                return self._run("Fixed. Running the tests again.")
            case "execute":
                return self._after_run(call, result)
            case _:
                return self._report()

    @property
    def _needs_workspace(self) -> bool:
        calls = {call.id for said in self.ask.history for call in said.calls if call.name == "create_workspace"}
        results = [result for said in self.ask.history for result in said.results if result.id in calls]
        return "create_workspace" in self.offered and not any(not result.failed for result in results)

    @property
    def _ran(self) -> int:
        return sum(call.name == "execute" for call, _ in self.ask.work)

    def _last(self) -> tuple[Called, Answered | None] | None:
        """The newest call, or the first of the newest batch that went wrong."""
        newest = next((said.calls for said in reversed(self.ask.history[self.ask.turn :]) if said.calls), ())
        pairs = [pair for pair in self.ask.work if pair[0] in newest]
        wrong = next((pair for pair in pairs if _broken(*pair)), None)
        return wrong or (pairs[-1] if pairs else None)

    def _create(self, template: str = _TEMPLATES[0], opening: str | None = None) -> Step:
        text = opening or f"I will write a small program that {self.program.what}. First I need a workspace."
        schema = next(tool.schema for tool in self.ask.tools if tool.name == "create_workspace")
        arguments = fill(schema, {"name": lambda: self.program.name, "text": lambda: ""})
        # Named although it has a default: the program wants Python.
        arguments["template"] = template
        thought = f"The user wants a program that {self.program.what}. A workspace, two files, and a test run will do."
        return self._say(thought, text, Call("create_workspace", arguments))

    def _write(self) -> Step:
        return self._say(
            "The test comes with the program, so that I notice my own mistakes.",
            f"The workspace is ready. Writing `{self.program.file}` and its test.",
            Call("write_file", {"path": self.program.file, "content": self.program.source}),
            Call("write_file", {"path": self.program.test_file, "content": self.program.test}),
        )

    def _run(self, text: str) -> Step:
        return self._say(None, text, Call("execute", {"command": self._test_command}))

    @property
    def _test_command(self) -> str:
        return f"python3 -m unittest {self.program.test_file.removesuffix('.py')}"

    def _after_run(self, call: Called, result: Answered | None) -> Step:
        output = result.text if result is not None else ""
        tested = "unittest" in str(call.input.get("command"))
        fixed = any(done.name == "edit_files" for done, _ in self.ask.work) or self._rewritten
        if tested and _FAILED.search(output):
            return self._give_up(output) if fixed else self._fix(output)
        if tested:
            command = f"python3 {self.program.file} {self._argument}"
            return self._say(
                None, "All tests pass. One real run to see it work.", Call("execute", {"command": command})
            )
        return self._report(output)

    @property
    def _rewritten(self) -> bool:
        return any(done.input.get("content") == self.program.fixed for done, _ in self.ask.work)

    @property
    def _argument(self) -> str:
        number = _NUMBER.search(self.ask.prompt)
        return number[1] if number and self.program.argument.isdigit() else self.program.argument

    def _fix(self, output: str) -> Step:
        failing = next((line for line in output.splitlines() if line.startswith("FAIL:")), "FAIL")
        edits: list[Json] = [{"old_text": self.program.mistake, "new_text": self.program.remedy}]
        edit = Call("edit_files", {"files": [{"path": self.program.file, "edits": edits}]})
        rewrite = Call("write_file", {"path": self.program.file, "content": self.program.fixed})
        return self._say(
            f"A test fails. Looking at the program: {self.program.lesson}.",
            f"One test fails:\n\n```\n{failing.strip()}\n```\n\nThe reason: {self.program.lesson}. Fixing that line.",
            edit if "edit_files" in self.offered else rewrite,
        )

    def _recover(self, call: Called, result: Answered | None) -> Step:
        """A call that did not work: another way once, then tell the user."""
        failures = sum(
            done.name == call.name and answer is not None and _broken(done, answer) for done, answer in self.ask.work
        )
        if failures >= PATIENCE:
            return self._give_up(result.text if result is not None else "")
        match call.name:
            case "create_workspace":
                return self._create(_TEMPLATES[1], "That template is not available. Trying the blank one.")
            case "edit_files":
                rewrite = Call("write_file", {"path": self.program.file, "content": self.program.fixed})
                return self._say(None, "The edit did not apply, so I am rewriting the file.", rewrite)
            case "write_file":
                return self._reopen()
            case _:
                return self._say(None, "That did not work. Trying again.", Call(call.name, call.input))

    def _reopen(self) -> Step:
        for name in ("start_workspace", "create_workspace"):
            schema = next((tool.schema for tool in self.ask.tools if tool.name == name), None)
            if schema is not None:
                arguments = fill(schema, {"template": lambda: _TEMPLATES[0], "text": lambda: ""})
                return self._say(None, "The workspace does not respond. Starting it again.", Call(name, arguments))
        return self._write()

    def _give_up(self, output: str) -> Step:
        shown = output.strip()[-600:]
        return Step(
            (Text(f"I could not finish. This is the last output:\n\n```\n{shown}\n```\n\nHow should I continue?"),)
        )

    def _report(self, output: str = "") -> Step:
        program = self.program
        printed = _ENDED.sub("", output).strip("\n")[-600:]
        shown = f"\n\n```\n{printed}\n```" if printed else ""
        return Step(
            (
                Text(
                    f"## Done\n\nThe program {program.what}.\n\n"
                    f"| File | What it is |\n| --- | --- |\n| `{program.file}` | the program |\n"
                    f"| `{program.test_file}` | its tests, which pass |\n\n"
                    f"What I did:\n1. wrote the program and its tests,\n"
                    f"2. ran them and saw one fail: {program.lesson},\n"
                    f"3. fixed it and ran them again.{shown}\n\n"
                    f"Run it yourself with `python3 {program.file} {self._argument}`."
                ),
            )
        )

    def _say(self, thought: str | None, text: str, *calls: Call) -> Step:
        thinking: tuple[Part, ...] = (Reasoning(thought),) if thought and self.ask.reasoning else ()
        return Step((*thinking, Text(text), *calls))


def _broken(call: Called, result: Answered | None) -> bool:
    """Whether a call went wrong; a command that ran and failed did not."""
    if result is None:
        return False
    if call.name == "execute":
        return result.failed and "exit" not in result.text.lower()
    return result.failed or result.text.lower().startswith(("error", '{"error'))
