"""A real sshd on loopback with keys of its own."""

import asyncio
import getpass
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from perdure.testing.polling import eventually
from perdure.testing.ports import free_port
from perdure.workspaces.ssh import SshHost

CONFIGURATION = """
ListenAddress 127.0.0.1
Port {port}
HostKey {root}/host_key
AuthorizedKeysFile {root}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
AllowStreamLocalForwarding yes
"""


@asynccontextmanager
async def running_sshd() -> AsyncGenerator[SshHost]:
    """A host to log in to as oneself, gone afterwards."""
    root = Path(tempfile.mkdtemp(prefix="perdure-sshd-"))
    host, user = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    (root / "host_key").write_bytes(_private(host))
    (root / "host_key").chmod(0o600)
    (root / "authorized_keys").write_bytes(_public(user))
    port = free_port()
    (root / "config").write_text(CONFIGURATION.format(port=port, root=root))
    _separate_privileges()
    program = shutil.which("sshd", path="/usr/sbin:/usr/bin") or "sshd"
    # A file, not a pipe: a session that somebody left open would hold the pipe, and nobody would see the end.
    with (root / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(program, "-D", "-e", "-f", str(root / "config"), stderr=log)
    eventually(lambda: b"listening" in (root / "log").read_bytes(), "sshd listens")
    try:
        yield SshHost(
            address="127.0.0.1",
            port=port,
            user=getpass.getuser(),
            private_key=_private(user).decode(),
            host_key=_public(host).decode(),
            root=str(root / "workspaces"),
        )
    finally:
        process.terminate()
        await process.wait()
        shutil.rmtree(root)


def _private(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def _separate_privileges() -> None:
    """The empty directory that sshd wants when it runs as root."""
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
