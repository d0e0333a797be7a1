"""Chooses what a model answers: a marked script, directives in the prompt, a script of the model, the demo."""

import re
from collections import OrderedDict
from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.demo import agent as demo
from perdure.sim.demo import housekeeping
from perdure.sim.directives import compose, script_named
from perdure.sim.faults import NO_FAULTS, expanded
from perdure.sim.script import Script, Step, Text, within

DEMO_RATE = 80.0
"""Tokens a second of the model named `demo`."""

WINDOW = 1_000_000
_WINDOW = re.compile(r"window-(\d+)k")
_REMEMBERED = 100_000


class AnswerChoice:
    """Holds the scripts, and how often each request was tried."""

    def __init__(self, scripts: Iterable[Script] = (), *, rate: float | None = DEMO_RATE) -> None:
        self.scripts: dict[str, Script] = {script.name: script for script in scripts}
        self.random_faults = NO_FAULTS
        self._rate = rate
        self._attempts: OrderedDict[str, int] = OrderedDict()
        self._calls: dict[str, int] = {}

    def step(self, ask: Ask, digest: str, attempt: int) -> Step:
        """The answer to this request, with the faults that are still due at this attempt and random ones."""
        step = within(self._chosen(ask).at_attempt(attempt), ask.max_tokens)
        return expanded(self.random_faults.strike(step, digest, attempt))

    def attempt(self, digest: str) -> int:
        """How often the same request came before."""
        number = self._attempts.pop(digest, 0)
        self._attempts[digest] = number + 1
        if len(self._attempts) > _REMEMBERED:
            self._attempts.popitem(last=False)
        return number

    def window(self, model: str) -> int:
        """How long a prompt this model takes."""
        script = self._of_model(model)
        if script is not None and script.window is not None:
            return script.window
        named = _WINDOW.search(model)
        return int(named[1]) * 1_000 if named else WINDOW

    def reset(self) -> None:
        """Forget counts, not scripts."""
        self._attempts.clear()
        self._calls.clear()

    def _chosen(self, ask: Ask) -> Step:
        script = self._of_model(ask.model)
        if script is not None and script.chores:
            return self._from(script, ask)
        if (chore := housekeeping.step(ask)) is not None:
            return chore
        prompt = ask.prompt
        if "[[" in prompt:
            name = script_named(prompt)
            if name is not None:
                return self._scripted(name, ask)
            if (composed := compose(prompt)) is not None:
                return composed.step(ask.step)
        if script is not None:
            return self._from(script, ask)
        step = demo.step(ask)
        return msgspec.structs.replace(step, rate=self._rate) if ask.model == "demo" else step

    def _scripted(self, name: str, ask: Ask) -> Step:
        script = self.scripts.get(name)
        return self._from(script, ask) if script else Step((Text(f"There is no script named {name}."),))

    def _from(self, script: Script, ask: Ask) -> Step:
        if not script.counted:
            return script.step(ask.step)
        number = self._calls.get(script.name, 0)
        self._calls[script.name] = number + 1
        return script.step(number)

    def _of_model(self, model: str) -> Script | None:
        return next((one for one in self.scripts.values() if one.model and fnmatchcase(model, one.model)), None)
