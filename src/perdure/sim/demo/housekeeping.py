"""Small requests beside the conversation: titles, labels, summaries and structured answers."""

from perdure.sim.ask import Ask
from perdure.sim.script import Step


def step(ask: Ask) -> Step | None:  # noqa: ARG001
    """The answer, when the request is one of these."""
    return None
