"""Servers outside a workspace that know what must never reach them."""

import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server, socket

from perdure.workspaces.egress.certificates import Authority, HostCertificates, new_authority
from perdure.workspaces.egress.rules import ArmedRule, Credential, Rule

HERE = ("127.0.0.0/8",)
NAMES = {
    "api": "127.0.0.1", "web": "127.0.0.1", "open": "127.0.0.1", "evil": "127.0.0.1", "inner": "127.0.0.1",
    "metadata": "169.254.169.254", "mapped": "::ffff:127.0.0.1", "notapi": "127.0.0.1", "xn--pi-7kc": "127.0.0.1",
    "git": "127.0.0.1",
}  # fmt: skip
HOSTS = tuple((f"{name}.example.test", (address,)) for name, address in NAMES.items())
CANARY = "CANARY"
SECRET = "s3cr3t-of-the-rule"


class Servers:
    """One honest server over TLS and one over plain HTTP, and one that nobody may reach."""

    def __init__(self) -> None:
        self.authority: Authority = new_authority("outside")
        self.heads: list[str] = []
        self.touched = 0
        certificates = HostCertificates(self.authority)
        self._context: Callable[[], ssl.SSLContext] = lambda: certificates.context("api.example.test")
        self._sockets: list[socket] = []
        self.tls = self._open("127.0.0.1", self._secure)
        self.plain = self._open("127.0.0.1", self._answer)
        self.canary = self._open("127.0.0.1", self._touch)
        self._open("::1", self._touch, self.canary)

    def _open(self, host: str, work: Callable[[socket], None], port: int = 0) -> int:
        family = AF_INET6 if ":" in host else AF_INET
        listening = create_server((host, port), family=family)
        self._sockets.append(listening)
        threading.Thread(target=self._accept, args=(listening, work), daemon=True).start()
        return int(listening.getsockname()[1])

    def _accept(self, listening: socket, work: Callable[[socket], None]) -> None:
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=_quietly, args=(work, accepted), daemon=True).start()

    def _touch(self, sock: socket) -> None:
        self.touched += 1
        sock.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n{CANARY}".encode())

    def _secure(self, sock: socket) -> None:
        with self._context().wrap_socket(sock, server_side=True) as opened:
            self._answer(opened)

    def _answer(self, sock: socket) -> None:
        received = b""
        while True:
            while b"\r\n\r\n" not in received:
                piece = sock.recv(65_536)
                if not piece:
                    return
                received += piece
            raw, _, received = received.partition(b"\r\n\r\n")
            received = self._reply(sock, raw.decode("latin-1"), received)

    def _reply(self, sock: socket, head: str, rest: bytes) -> bytes:
        self.heads.append(head)
        lines = head.split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(fields.get("content-length", "0"))
        while len(rest) < length:
            rest += sock.recv(65_536)
        method, path, _ = lines[0].split(" ")
        fine = path.startswith("/allowed/") and method in ("GET", "POST") and "example.test" in fields["host"]
        location = f"\r\nLocation: {path.removeprefix('/allowed/to/')}" if path.startswith("/allowed/to/") else ""
        status = "302 Found" if location else "200 OK"
        body = f"fine {length}" if fine else CANARY
        sock.sendall(f"HTTP/1.1 {status}{location}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        return rest[length:]

    def trusted_at(self, path: Path) -> str:
        path.write_text(self.authority.certificate)
        return str(path)

    def close(self) -> None:
        for listening in self._sockets:
            listening.close()


def _quietly(work: Callable[[socket], None], sock: socket) -> None:
    with sock:
        try:
            work(sock)
        except (OSError, ValueError, KeyError):
            return


def rules(servers: Servers) -> list[ArmedRule]:
    """One host with a credential, one open, one plain, and two that resolve to where no rule lets them."""
    credential = Credential("key")
    api = Rule(
        "api.example.test", port=servers.tls, methods=("GET", "POST"), paths=("/allowed/*",), networks=HERE,
        credential=credential,
    )  # fmt: skip
    return [
        ArmedRule(api, field=credential.field(SECRET)),
        ArmedRule(Rule("open.example.test", port=servers.tls, networks=HERE)),
        ArmedRule(Rule("web.example.test", scheme="http", port=servers.plain, paths=("/allowed/*",), networks=HERE)),
        ArmedRule(Rule("inner.example.test", port=servers.canary)),
        ArmedRule(Rule("inner.example.test", scheme="http", port=servers.canary)),
        ArmedRule(Rule("mapped.example.test", port=servers.canary)),
        ArmedRule(Rule("metadata.example.test", port=servers.tls)),
    ]
