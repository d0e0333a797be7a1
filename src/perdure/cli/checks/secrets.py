"""What is stored encrypted: whether the keys at hand open it, and whether an old key is still needed."""

from perdure.access.key_file import existing_keyring
from perdure.access.keyring import Keyring
from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.config.rotation import SEALED
from perdure.core.errors import Misconfigured
from perdure.settings import Settings
from perdure.store.connection import Connection

_LOST = "Name the key that is missing after the new one in PERDURE_SECRET_KEY, then: perdure secrets rotate"


async def secrets(connection: Connection, settings: Settings) -> Finding:
    try:
        keyring = existing_keyring(settings.secret_key, settings.data_dir)
    except Misconfigured as error:
        return bad("secrets", str(error), "Set PERDURE_SECRET_KEY to 16 characters or more.")
    sealed = [secret for kind in SEALED.values() for secret in await kind.listed(connection)]
    return judged(keyring, sealed)


def judged(keyring: Keyring | None, sealed: list[bytes]) -> Finding:
    lost = [each for each in sealed if keyring is None or not keyring.knows(each)]
    if lost:
        return bad("secrets", f"{len(lost)} of {len(sealed)} were encrypted with a key that is not known here", _LOST)
    old = [each for each in sealed if keyring is not None and keyring.stale(each)]
    if old:
        return off("secrets", f"{len(old)} of {len(sealed)} still need an old key", "perdure secrets rotate")
    return good("secrets", f"{len(sealed)}, encrypted with the newest key" if sealed else "none are stored")
