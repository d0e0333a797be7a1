"""The key that secrets are encrypted with, for a deployment that was given none: made once, kept beside its data."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from perdure.access.keyring import Keyring, generated
from perdure.core.errors import Misconfigured

NAME = "secret.key"


def open_keyring(keys: Sequence[str], folder: Path) -> Keyring:
    """The given keys, else the one in the folder, made if it is not there."""
    return Keyring.of(keys or [_kept(folder / NAME)])


def existing_keyring(keys: Sequence[str], folder: Path) -> Keyring | None:
    """The same, for those who only look: None where no key was made yet."""
    path = folder / NAME
    if keys:
        return Keyring.of(keys)
    return Keyring.of([path.read_text().strip()]) if path.is_file() else None


def _kept(path: Path) -> str:
    if path.is_file():
        return path.read_text().strip()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent, prefix=f".{NAME}.") as file:
            file.write(generated())
            file.flush()
            # Whole or not at all: of two replicas that start together, one makes the key and both use it.
            with suppress(FileExistsError):
                os.link(file.name, path)
    except OSError as error:
        raise Misconfigured(f"{path} cannot be written ({error.strerror}). Set PERDURE_SECRET_KEY.") from error
    return path.read_text().strip()
