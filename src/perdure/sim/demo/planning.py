"""Planning: what the demo model does while nothing may be changed. It asks one question, then proposes a plan."""

from perdure.sim.ask import Ask
from perdure.sim.demo.programs import Program
from perdure.sim.document import Json
from perdure.sim.script import Call, Step, Text

ASK, PROPOSE = "ask_user_question", "propose_plan"
_OPTIONS: list[Json] = [
    {"label": "From the command line", "description": "It takes its argument there and prints what it finds."},
    {"label": "As a module", "description": "Other programs import its function."},
]


def begun(ask: Ask) -> bool:
    """Whether the question of this chat was asked and no plan has come of it yet."""
    calls = [call.name for said in ask.history for call in said.calls if call.name in (ASK, PROPOSE)]
    return bool(calls) and calls[-1] == ASK


def step(ask: Ask, program: Program, offered: frozenset[str]) -> Step:
    """What the plan needs to know, or the plan itself."""
    if ask.work:
        return Step((Text("The plan is ready. Say the word and I will build it."),))
    if ASK in offered and not begun(ask):
        question: Json = {"question": f"How should the program that {program.what} be used?", "options": _OPTIONS}
        return Step((Text("One thing only you can decide."), Call(ASK, {"questions": [question]})))
    return _proposal(ask, program)


def _proposal(ask: Ask, program: Program) -> Step:
    chosen = f"- Used: {' '.join(ask.prompt.split())}\n" if begun(ask) else ""
    plan = (
        f"# Plan: a program that {program.what}\n\n{chosen}\n1. Write `{program.file}` and its test.\n"
        "2. Run the test and fix what it finds.\n3. Report.\n"
    )
    return Step((Call(PROPOSE, {"title": f"Build {program.name}", "plan": plan}),))
