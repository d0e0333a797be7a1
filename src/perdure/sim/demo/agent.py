"""What the demo model does next, read off the history alone."""

from perdure.sim.ask import Ask
from perdure.sim.script import Step, Text


def step(ask: Ask) -> Step:
    """The next step of the demo."""
    return Step((Text(f"You said: {ask.prompt[:200]}"),))
