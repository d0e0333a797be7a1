"""Which values a setting takes, and which it refuses before anybody has to live with them."""

from typing import Any

import pytest

from perdure.config.settings import PROMPT_LIMIT, AnySettings, PersonalSettings, Settings, checked
from perdure.core.errors import InvalidInput


@pytest.mark.parametrize("domain", ["example.com", "docs.example.com", "*.example.com", "example.com/docs/*", "host"])
@pytest.mark.parametrize("bound", ["allowed_domains", "blocked_domains"])
def test_the_web_search_is_bounded_to_domains_as_people_write_them(bound: str, domain: str) -> None:
    assert checked(Settings, "web_search", {bound: [domain]}) == f'{{"{bound}":["{domain}"]}}'


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (Settings, "web_search", {"allowed_domains": ["https://example.com"]}),
        (Settings, "web_search", {"allowed_domains": ["example.com and more"]}),
        (Settings, "web_search", {"allowed_domains": ["a.example"], "blocked_domains": ["b.example"]}),
        (Settings, "retention", {"archived_days": -1}),
        (Settings, "retention", {"archived_days": 10**12}),
        (Settings, "auto_archive", {"idle_days": 10**12}),
        (Settings, "step_limit", 0),
        (PersonalSettings, "compaction_thresholds", {"demo": -5}),
        (PersonalSettings, "compaction_thresholds", {"demo": 101}),
        (Settings, "system_prompt", "\u00fc" * (PROMPT_LIMIT // 2 + 1)),
    ],
)
def test_a_value_that_nobody_could_work_with_is_refused(kind: type[AnySettings], name: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        checked(kind, name, value)


def test_a_prompt_is_as_long_as_its_bytes_however_it_is_stored() -> None:
    longest = '"\n' * (PROMPT_LIMIT // 2)
    assert len(checked(Settings, "system_prompt", longest)) > PROMPT_LIMIT
