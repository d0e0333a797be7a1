"""The models that a chat may use."""

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.models import Model, Models

routes = Routes("models")


@routes.get("/models")
async def list_models(caller: Caller) -> Models:
    """What a chat may use, the default among it."""
    snapshot = await caller.config.of(caller.actor.organisation_id)
    default = snapshot.default
    usable = [model for model in snapshot.models.values() if model.usable]
    return Models(tuple(Model.of(model, default=model is default) for model in usable))
