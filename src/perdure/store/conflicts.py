"""What it means that something unique is there already: which field of the request says so, and in which words."""

from collections.abc import Mapping

from perdure.core.errors import Conflict

CONFLICTS: Mapping[str, tuple[str, str]] = {
    "groups_name": ("name", "There is a group of this name already."),
    "mcp_servers_organisation_id_slug_key": ("slug", "There is an MCP server of this name already."),
    "model_settings_default": ("default", "Another model was made the default at the same moment. Try again."),
    "model_settings_pkey": ("name", "There is a model of this name already."),
    "providers_name": ("name", "There is a provider of this name already."),
    "users_email": ("email", "There is somebody with this address already."),
}
"""What a request can run into, by the name of the constraint or unique index."""


def conflict_of(constraint: str | None) -> Conflict:
    """The conflict that a violated constraint means. One that no request can hit is named as it is."""
    field, message = CONFLICTS.get(constraint or "", ("", f"This is there already ({constraint})."))
    return Conflict(message, field)
