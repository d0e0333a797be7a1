"""What the configuration adds to prompts, and the rules that it sets for turns."""

import re

from perdure.agent.decide import Policy
from perdure.agent.prepare import Limits, Rules
from perdure.agent.prompt import Surroundings
from perdure.config.config import Config
from perdure.core.card import Card

# Invisible and direction-changing code points: a prompt must say what it seems to say.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_BLANK_RUN = re.compile(r"\n{3,}")


def normalised(text: str) -> str:
    """A prompt that a person wrote: plain line ends, nothing invisible, no runs of blank lines."""
    plain = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _BLANK_RUN.sub("\n\n", plain).strip()


class ConfiguredSources:
    """Reads prompts and rules from the cache of the configuration."""

    def __init__(self, config: Config) -> None:
        self._config = config

    async def surroundings(self, card: Card) -> Surroundings:
        personal = await self._config.personal(card.owner_id)
        settings = await self._config.settings(card.organisation_id)
        return Surroundings(
            instructions=normalised(personal.settings.prompt) or None,
            plan=normalised(settings.plan_instructions) or None,
        )

    async def rules(self, card: Card) -> Rules:
        settings = await self._config.settings(card.organisation_id)
        personal = await self._config.personal(card.owner_id)
        policies = {**settings.approvals, **personal.settings.approvals}
        return Rules(
            step_limit=settings.step_limit,
            policies={tool: Policy(policy.value) for tool, policy in policies.items()},
            summary_model=settings.compaction_model,
            limits=Limits(
                user=settings.budgets.of(card.owner_id),
                organisation=settings.budgets.organisation,
            ),
        )
