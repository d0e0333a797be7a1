"""Programs that ask for a token through the page."""

from perdure.access import programs
from perdure.access.actor import Scope
from perdure.access.programs import Codes
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.people import CodeBody, ProgramCode
from perdure.core.errors import InvalidInput, Validation
from perdure.core.timing import PROGRAM_TOKEN_KEPT

routes = Routes("programs")


@routes.post("/tokens/codes", status=201, secret=True)
async def add_token_code(caller: Caller, body: CodeBody) -> ProgramCode:
    """Let a program in that asks for a token by OAuth, with PKCE. It can only chat, for 90 days."""
    caller.services.sign_in.count_token(caller.actor.user_id)
    program = programs.known(body.client_id)
    if not program.leads_to(body.redirect_uri):
        raise InvalidInput("This program does not come back there.", Validation("redirect_uri", "is not registered"))
    codes, now = Codes(caller.services.keyring), caller.services.clock.now().timestamp()
    _, secret = await caller.administration.tokens.add(program.name, (Scope.CHAT,), PROGRAM_TOKEN_KEPT)
    code = codes.made(secret, body.client_id, body.redirect_uri, body.code_challenge, now)
    return ProgramCode(code, caller.services.address(caller.call))
