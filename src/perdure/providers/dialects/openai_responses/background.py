"""Background responses: they outlive a connection, and whoever knows the id may listen again or give them up."""

from perdure.providers.dialects.dialect import Encoded
from perdure.providers.dialects.openai_responses.encode import PATH


def listening(response_id: str, after: int | None) -> Encoded:
    """Ask for the events of a response: all of them, or those behind the one numbered `after`."""
    since = "" if after is None else f"&starting_after={after}"
    return Encoded(f"{PATH}/{response_id}?stream=true{since}", {}, None, ())


def giving_up(response_id: str) -> Encoded:
    """Ask that a response be abandoned."""
    return Encoded(f"{PATH}/{response_id}/cancel", {}, b"{}", ())
