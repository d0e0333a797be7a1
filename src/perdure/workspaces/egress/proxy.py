"""The proxy: what comes out of a workspace is checked against its rules, then taken where it wants to go."""

import contextlib
import socket
import ssl
import time
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread
from urllib.parse import urlsplit

from msgspec import Struct

from perdure.core.timing import EGRESS_CLIENT, EGRESS_CONNECT, EGRESS_HELLO, EGRESS_SERVER
from perdure.workspaces.egress import streams
from perdure.workspaces.egress.addresses import Resolve, reachable, resolved
from perdure.workspaces.egress.certificates import Authority, HostCertificates
from perdure.workspaces.egress.heads import Head, Malformed, answer_length, body_length, parsed, server_name
from perdure.workspaces.egress.rules import ArmedRule, Origin, Rule, Verdict, decide, host_of, opens, origin_of
from perdure.workspaces.egress.streams import Stream

PORT = 3128
"""Where the proxy listens, on the loopback of the workspace."""
OWN_NAMES = (f"127.0.0.1:{PORT}", f"localhost:{PORT}")
KEPT_REQUESTS = 20_000
MOST_CONNECTIONS = 512
UNTOLD = "the proxy was not told its rules yet; try again in a moment"


class SeenRequest(Struct, frozen=True):
    """One request that came to the proxy, and what became of it."""

    number: int
    at: float
    method: str
    host: str
    port: int
    path: str
    allowed: bool
    reason: str = ""
    rule: str = ""
    lifted_by: Rule | None = None
    """What would let it leave."""


class Refuse(Exception):
    """A request that does not leave."""

    def __init__(self, reason: str, status: str = "403 Forbidden") -> None:
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class SeenRequests:
    """The newest requests, numbered, for whoever asks from outside."""

    _kept: deque[SeenRequest] = field(default_factory=lambda: deque(maxlen=KEPT_REQUESTS))
    _count: int = 0
    _changed: Condition = field(default_factory=Condition)

    def note(self, origin: Origin, method: str, path: str, verdict: Verdict) -> None:
        with self._changed:
            self._count += 1
            rule = verdict.rule.id if verdict.rule else ""
            place = (origin.host, origin.port, path.partition("?")[0][:200])
            seen = SeenRequest(
                self._count, time.time(), method[:20], *place, verdict.allowed, verdict.reason, rule, verdict.lifted_by
            )
            self._kept.append(seen)
            self._changed.notify_all()

    def after(self, number: int, patience: float) -> tuple[int, list[SeenRequest]]:
        with self._changed:
            self._changed.wait_for(lambda: self._count > number, patience)
            return self._count, [seen for seen in self._kept if seen.number > number]


class Book:
    """The rules as they are now, and which of those that hold once were used."""

    def __init__(self) -> None:
        self._rules: Sequence[ArmedRule] | None = None
        self._spent: set[str] = set()
        self._lock = Condition()

    def tell(self, rules: Sequence[ArmedRule]) -> list[str]:
        """What holds from now on. Which of them are used up comes back."""
        with self._lock:
            self._rules = rules
            return sorted({armed.id for armed in rules} & self._spent)

    @property
    def rules(self) -> Sequence[ArmedRule]:
        return [armed for armed in self._rules or () if not (armed.once and armed.id in self._spent)]

    def decide(self, origin: Origin, request: tuple[str, str] | None) -> Verdict:
        with self._lock:
            if self._rules is None:
                return Verdict(None, UNTOLD)
            verdict = decide(self.rules, origin, request)
            if verdict.rule is not None and verdict.rule.once and (request is not None or not self.opens(origin)):
                self._spent.add(verdict.rule.id)
            return verdict

    def opens(self, origin: Origin) -> bool:
        return opens(self.rules, origin)


class Proxy:
    """Serves the connections of one workspace, each in a thread of its own."""

    def __init__(
        self,
        authority: Authority,
        *,
        trust: str | None = None,
        resolve: Resolve = resolved,
    ) -> None:
        self.book = Book()
        self.seen = SeenRequests()
        self.resolve = resolve
        self.certificates = HostCertificates(authority)
        self.trusted = ssl.create_default_context()
        if trust:
            self.trusted.load_verify_locations(cadata=trust)
        self.trusted.set_alpn_protocols(["http/1.1"])
        self._serving = 0

    def serve(self, listening: socket.socket) -> None:
        """Until the socket is closed."""
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            if self._serving >= MOST_CONNECTIONS:
                accepted.close()
                continue
            self._serving += 1
            Thread(target=self._connected, args=(accepted,), daemon=True).start()

    def _connected(self, sock: socket.socket) -> None:
        try:
            sock.settimeout(EGRESS_CLIENT.total_seconds())
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(OSError, Malformed):
                Conversation(self, Stream(sock)).run()
        finally:
            self._serving -= 1
            sock.close()

    def connect(self, origin: Origin, allowing: Rule) -> socket.socket:
        """To an address that was checked, never to a name. All rules about a host may name networks."""
        rules = [allowing, *(armed.rule for armed in self.book.rules if armed.rule.covers(origin))]
        try:
            addresses = reachable(origin, rules, self.resolve)
        except (OSError, UnicodeError) as error:
            raise Refuse(f"{origin.host} is not known here", "502 Bad Gateway") from error
        if not addresses:
            raise Refuse(f"{origin.host} is at no address that may be reached: private ones have to be named by a rule")
        return _first(addresses, origin.port)


def _first(addresses: Sequence[str], port: int) -> socket.socket:
    trouble: OSError | None = None
    for address in addresses[:4]:
        try:
            sock = socket.create_connection((address, port), EGRESS_CONNECT.total_seconds())
        except OSError as error:
            trouble = error
            continue
        sock.settimeout(EGRESS_SERVER.total_seconds())
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    raise Refuse(f"the server does not answer: {trouble}", "502 Bad Gateway")


@dataclass(frozen=True, slots=True)
class Passage:
    """A request that may leave, and the rule by which."""

    origin: Origin
    armed: ArmedRule
    method: str
    path: str


class Conversation:
    """One connection out of the workspace: requests to a proxy, or those inside TLS that is opened."""

    def __init__(self, proxy: Proxy, client: Stream, inside: Origin | None = None) -> None:
        self._proxy = proxy
        self._client = client
        self._inside = inside
        self._server: tuple[Origin, Stream] | None = None

    def run(self) -> None:
        try:
            while raw := self._client.until(b"\r\n\r\n"):
                if not self._one(raw):
                    return
        finally:
            self._leave()

    def _one(self, raw: bytes) -> bool:
        """One request; whether another one may follow."""
        try:
            head = parsed(raw)
            return self._tunnel(head) if head.start[0] == "CONNECT" and not self._inside else self._pass(head)
        except Malformed as error:
            self._say("400 Bad Request", str(error))
        except Refuse as refusal:
            self._say(refusal.status, str(refusal))
        return False

    def _judge(self, origin: Origin, method: str, path: str, *, connection: bool = False) -> ArmedRule:
        verdict = self._proxy.book.decide(origin, None if connection else (method, path))
        if verdict.rule is None:
            self._proxy.seen.note(origin, method, path, verdict)
            raise Refuse(verdict.reason)
        return verdict.rule

    def _refuse(self, origin: Origin, method: str, path: str, reason: str) -> Refuse:
        self._proxy.seen.note(origin, method, path, Verdict(None, reason))
        return Refuse(reason)

    def _tunnel(self, head: Head) -> bool:
        origin = origin_of("https", head.start[1], port_needed=True)
        if origin is None:
            raise Malformed("CONNECT names no host and port")
        named = head.one("host")
        # Some clients name the proxy here; nothing of this head goes further.
        if named not in (None, *OWN_NAMES) and origin_of("https", named or "") != origin:
            raise self._refuse(origin, "CONNECT", "", "the header Host names another host than CONNECT")
        if self._client.ahead or head.all("content-length") or head.all("transfer-encoding"):
            raise Malformed("something follows CONNECT before its answer")
        allowing = self._judge(origin, "CONNECT", "", connection=True)
        opened = self._proxy.book.opens(origin)
        server = None
        if not opened:
            passage = Passage(origin, allowing, "CONNECT", "")
            with self._noting(passage):
                server = Stream(self._proxy.connect(origin, allowing.rule))
        try:
            self._client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._greeted(origin)
            if server is None:
                self._open(origin)
            else:
                streams.join(self._client, server)
        finally:
            if server is not None:
                server.close()
        return False

    def _greeted(self, origin: Origin) -> None:
        """What is asked for inside the tunnel must be the host that the tunnel was allowed for."""
        sock = self._client.sock
        sock.settimeout(EGRESS_HELLO.total_seconds())
        name = server_name(streams.first_record(sock))
        sock.settimeout(EGRESS_CLIENT.total_seconds())
        expected = origin.host if any(letter.isalpha() for letter in origin.host.rpartition(".")[2]) else None
        if (host_of(name) if name else None) != expected:
            reason = f"TLS asks for {name}, the tunnel is for {origin.host}" if name else "this is no TLS with a name"
            raise self._refuse_silently(origin, reason)

    def _refuse_silently(self, origin: Origin, reason: str) -> OSError:
        """Once the tunnel stands, nothing but its end can be said."""
        self._proxy.seen.note(origin, "CONNECT", "", Verdict(None, reason))
        return ConnectionAbortedError(reason)

    def _open(self, origin: Origin) -> None:
        context = self._proxy.certificates.context(origin.host)
        with context.wrap_socket(self._client.sock, server_side=True) as opened:
            Conversation(self._proxy, Stream(opened), origin).run()

    def _pass(self, head: Head) -> bool:
        method, target, _ = head.start
        origin, path = self._destination(target)
        if origin_of(origin.scheme, head.one("host") or "") != origin:
            raise self._refuse(origin, method, path, "the header Host names another host than the request")
        if method in ("TRACE", "CONNECT"):
            raise self._refuse(origin, method, path, f"{method} is not taken further")
        length = body_length(head)
        armed = self._judge(origin, method, path)
        added = [armed.field] if armed.field is not None else []
        if (head.one("expect") or "").lower() == "100-continue":
            self._client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        framing = ("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length))
        framed = [framing] if length is None or length or head.all("content-length") else []
        upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket")] if head.upgrade else []
        sent = head.forwarded(("Host", str(origin)), *framed, *upgrade, *added)
        passage = Passage(origin, armed, method, path)
        return self._exchange(passage, Head((method, path, "HTTP/1.1"), sent.fields), length, head)

    def _destination(self, target: str) -> tuple[Origin, str]:
        if self._inside is not None:
            if not target.startswith("/") and target != "*":
                raise Malformed("a request inside TLS has a path")
            return self._inside, target
        parts = urlsplit(target)
        origin = origin_of("http", parts.netloc) if parts.scheme == "http" else None
        if origin is None:
            raise Malformed("a request to a proxy has the whole address, with http")
        return origin, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _exchange(self, passage: Passage, sent: Head, length: int | None, asked: Head) -> bool:
        origin = passage.origin
        fresh = self._server is None or self._server[0] != origin or self._server[1].stale
        with self._noting(passage):
            server = self._reach(passage, fresh=fresh)
        try:
            server.send(sent.encoded())
            if length is None:
                streams.copy_chunks(self._client, server)
            else:
                streams.copy(self._client, server, length)
            answer = self._answer(server)
        except (OSError, Malformed) as error:
            if fresh or length != 0:
                raise Refuse(f"{origin} does not answer as HTTP: {error}", "502 Bad Gateway") from error
            # It was about to close the connection that was kept. Nothing was sent but a head, which goes again.
            server = self._reach(passage, fresh=True)
            server.send(sent.encoded())
            answer = self._answer(server)
        return self._return(server, answer, asked, passage.method)

    def _answer(self, server: Stream) -> Head:
        while True:
            raw = server.until(b"\r\n\r\n")
            if not raw:
                raise ConnectionResetError
            answer = parsed(raw, response=True)
            if not answer.start[1].startswith("1") or answer.start[1] == "101":
                return answer

    def _return(self, server: Stream, answer: Head, asked: Head, method: str) -> bool:
        if answer.start[1] == "101":
            if asked.upgrade:
                self._client.send(answer.encoded())
                streams.join(self._client, server)
            return False
        length = answer_length(answer, method)
        framing: list[tuple[str, str]] = [] if length is None else [("Transfer-Encoding", "chunked")]
        if length is not None and length >= 0:
            framing = [("Content-Length", value) for value in answer.all("content-length")[:1]]
        keep = length is not None and "close" not in asked.tokens
        ending = [] if keep else [("Connection", "close")]
        self._client.send(answer.forwarded(*framing, *ending).encoded())
        self._move(server, length)
        if not keep or "close" in answer.tokens or answer.start[0] != "HTTP/1.1":
            self._leave()
        return keep

    def _move(self, server: Stream, length: int | None) -> None:
        try:
            match length:
                case None:
                    streams.copy_to_end(server, self._client)
                case -1:
                    streams.copy_chunks(server, self._client)
                case _:
                    streams.copy(server, self._client, length)
        except Malformed as error:
            # In the middle of a body nothing but its end can be said.
            raise ConnectionAbortedError from error

    def _reach(self, passage: Passage, *, fresh: bool) -> Stream:
        if fresh:
            origin = passage.origin
            self._leave()
            sock = self._proxy.connect(origin, passage.armed.rule)
            if origin.scheme == "https":
                try:
                    sock = self._proxy.trusted.wrap_socket(sock, server_hostname=origin.host)
                except OSError as error:
                    sock.close()
                    raise Refuse(f"{origin} cannot be trusted: {error}", "502 Bad Gateway") from error
            self._server = (origin, Stream(sock))
        assert self._server is not None
        return self._server[1]

    @contextlib.contextmanager
    def _noting(self, passage: Passage) -> Generator[None]:
        """Note a request once, when it is known whether its server is at an address that may be reached."""
        verdict = Verdict(passage.armed)
        try:
            yield
        except Refuse as refusal:
            if refusal.status.startswith("403"):
                verdict = Verdict(None, str(refusal))
            raise
        finally:
            self._proxy.seen.note(passage.origin, passage.method, passage.path, verdict)

    def _leave(self) -> None:
        if self._server is not None:
            self._server[1].close()
            self._server = None

    def _say(self, status: str, reason: str) -> None:
        text = f"The network of this workspace is by permission: {reason}.\n".encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(text)}\r\n"
        self._client.send(head.encode() + b"Connection: close\r\nX-Perdure-Refused: yes\r\n\r\n" + text)
