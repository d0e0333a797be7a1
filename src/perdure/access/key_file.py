"""The key that secrets are encrypted with, for a deployment that was given none: made once, kept beside its data."""

import os
from collections.abc import Sequence
from pathlib import Path

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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    except OSError as error:
        raise Misconfigured(f"{path} cannot be written ({error.strerror}). Set PERDURE_SECRET_KEY.") from error
    key = generated()
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key
