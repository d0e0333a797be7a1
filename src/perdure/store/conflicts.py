"""What it means that something unique is there already: which field of the request says so, and in which words."""

from collections.abc import Mapping

from perdure.core.errors import Conflict

CONFLICTS: Mapping[str, tuple[str, str]] = {
    "files_pkey": ("id", "There is a file with this id already."),
    "groups_name": ("name", "There is a group of this name already."),
    "identities_pkey": ("subject", "Somebody else signs in with this identity."),
    "login_services_slug_key": ("slug", "There is a login service of this name already."),
    "mcp_servers_organisation_id_slug_key": ("slug", "There is an MCP server of this name already."),
    "model_settings_default": ("default", "Another model was made the default at the same moment. Try again."),
    "model_settings_pkey": ("name", "There is a model of this name already."),
    "provider_keys_deployment": ("key", "Another key was brought at the same moment. Try again."),
    "provider_keys_personal": ("key", "Another key was brought at the same moment. Try again."),
    "providers_name": ("name", "There is a provider of this name already."),
    "push_subscriptions_user_id_endpoint_key": ("endpoint", "This browser is subscribed already."),
    "settings_pkey": ("name", "This setting was set at the same moment. Try again."),
    "skills_pkey": ("name", "There is a skill of this name already."),
    "templates_pkey": ("name", "There is a template of this name already."),
    "user_settings_pkey": ("name", "This setting was set at the same moment. Try again."),
    "users_email": ("email", "There is somebody with this address already."),
    "workspaces_pkey": ("id", "There is a workspace with this id already."),
}
"""By the name of the constraint or unique index."""


def conflict_of(constraint: str | None) -> Conflict:
    """The conflict that a violated constraint means. One that no request can hit is named as it is."""
    field, message = CONFLICTS.get(constraint or "", ("", f"This is there already ({constraint})."))
    return Conflict(message, field)
