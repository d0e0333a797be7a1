"""The optional extras of the package: what only some deployments install, and what is said where one is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from perdure.core.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class Extra:
    """One of them: what needs it, and the library by which it is known to be there."""

    purpose: str
    library: str


EXTRAS = {
    "aws": Extra("Models at Amazon", "botocore"),
    "docker": Extra("Workspaces in containers", "aiodocker"),
    "google": Extra("Models at Google", "google.auth"),
    "kubernetes": Extra("Workspaces in a cluster", "yaml"),
    "nats": Extra("Notices through NATS", "nats"),
    "push": Extra("Notifications of browsers", "pywebpush"),
    "s3": Extra("Files in object storage", "botocore"),
    "ssh": Extra("Workspaces on other hosts", "asyncssh"),
    "traces": Extra("Traces", "opentelemetry.sdk"),
}


def installed(name: str) -> bool:
    """Whether this deployment has the extra. Its library is not loaded for that."""
    try:
        return find_spec(EXTRAS[name].library) is not None
    except ModuleNotFoundError:
        return False


def require(name: str, failure: Callable[[str], Exception] = Misconfigured) -> None:
    """Fail, in words that say what to install, where the extra is missing. Comes before the import of its library."""
    if not installed(name):
        raise failure(
            f"{EXTRAS[name].purpose} need a part of Perdure that is not installed: pip install 'perdure[{name}]'"
        )
