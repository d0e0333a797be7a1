"""Settings by name: the organisation's and one's own."""

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.models import Value, ValueBody
from perdure.config.settings import PersonalSettings, Settings
from perdure.core.errors import NotFound

routes = Routes("settings")


@routes.get("/settings")
async def read_settings(caller: Caller) -> Settings:
    """What your organisation has set; the fields are the names."""
    return await caller.config.settings(caller.actor.organisation_id)


@routes.put("/settings/{name}")
async def put_setting(caller: Caller, name: str, body: ValueBody) -> Value:
    """Set something for your organisation."""
    await caller.administration.providers.put_setting(name, body.value)
    caller.announcements.config_changed()
    return Value(name, body.value)


@routes.get("/me/settings")
async def read_personal_settings(caller: Caller) -> PersonalSettings:
    """What you have set for your own chats."""
    return (await caller.config.personal(caller.actor.user_id)).settings


@routes.get("/me/settings/{name}")
async def read_personal_setting(caller: Caller, name: str) -> Value:
    """One of your own settings."""
    settings = (await caller.config.personal(caller.actor.user_id)).settings
    if name not in settings.__struct_fields__:
        raise NotFound("Setting not found.")
    return Value(name, getattr(settings, name))


@routes.put("/me/settings/{name}")
async def put_personal_setting(caller: Caller, name: str, body: ValueBody) -> Value:
    """Set something for your own chats."""
    await caller.administration.providers.put_personal_setting(name, body.value)
    caller.announcements.personal_config_changed()
    return Value(name, body.value)
