"""What the demo model says when there is nothing to build: about Perdure, about itself, about what was asked."""

import re

from perdure.sim.ask import Ask
from perdure.sim.demo.programs import Program, named
from perdure.sim.script import Part, Reasoning, Search, Step, Text

_GREETING = re.compile(r"^\W*(hi|hello|hey|good (morning|day|evening))\b", re.IGNORECASE)
_LOOK_UP = re.compile(r"\b(search|look up|latest|news|find out|on the web)\b", re.IGNORECASE)
_DURABLE = re.compile(r"\b(durab|crash|kill|restart|surviv|lost|resume|perdure)", re.IGNORECASE)

_ABOUT = """\
## What Perdure promises

A chat is **rows in Postgres**, not a process. So it survives what processes do not:

| What happens | What happens to the chat |
| --- | --- |
| You close the laptop | The turn continues; you see the rest when you come back |
| A worker is killed | Another one takes over within seconds |
| The network drops | The stream resumes where it stopped, without a gap |
| A tool may have run | It is not run twice; you are asked |

Try it: start something long, kill the server, start it again, and watch.

```sh
perdure serve          # in one terminal
kill -9 <its pid>      # in another
perdure serve          # and the turn continues
```
"""

_CAPABLE = """\
I am the **demo model**: a simulator that speaks like a real provider, so that you can try Perdure without a key.

With a workspace I can
- write a small program with a test,
- run it, see what fails and fix it,
- and report what I did.

I can also *ask 3 agents to look around* for me. In plan mode I ask a question and propose a plan first.

Ask me for one of these: a *fibonacci* program, a *prime* sieve, a *word count*, or a *todo list*. Or ask what happens \
when the server crashes.
"""


def step(ask: Ask) -> Step:
    """An answer in words."""
    parts: list[Part] = []
    if ask.reasoning:
        parts.append(Reasoning("No tool is needed for this. I will answer in a few words and say what I can do."))
    if ask.search and _LOOK_UP.search(ask.prompt):
        query = " ".join(ask.prompt.split()[:12])
        parts += [Search(query), Text(f"I looked up *{query}*. The best source says that a chat is rows.", cited=True)]
    else:
        parts.append(Text(_answer(ask.prompt)))
    return Step(tuple(parts))


def _answer(prompt: str) -> str:
    program = named(prompt)
    if program is not None:
        return _shown(program)
    if _DURABLE.search(prompt):
        return _ABOUT
    if _GREETING.search(prompt) or not prompt.strip():
        return "# Hello!\n\n" + _CAPABLE
    asked = " ".join(prompt.split())
    quoted = asked if len(asked) <= 160 else asked[:157] + "…"
    return f"You asked:\n\n> {quoted}\n\nA real model would know. {_CAPABLE}"


def _shown(program: Program) -> str:
    return (
        f"## A program that {program.what}\n\n```python\n{program.fixed}```\n\n"
        f"Run it with `python3 {program.file} {program.argument}`. Give me a workspace and I will test it as well."
    )
