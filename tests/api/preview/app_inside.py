"""What an agent might serve: says what it was sent, streams, sets cookies, leads elsewhere, speaks WebSocket."""

import base64
import hashlib
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
PIECE = bytes(range(256)) * 256


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        ways = {"/big": self.big, "/events": self.events, "/socket": self.socket, "/broken": self.broken}
        ways.get(path, self.plain)()

    def do_POST(self) -> None:
        digest, size = hashlib.sha256(), 0
        while True:
            line = self.rfile.readline() if self.headers["transfer-encoding"] else None
            left = int(line, 16) if line else int(self.headers["content-length"] or 0) - size
            while left:
                content = self.rfile.read(min(left, 65536))
                digest.update(content)
                size, left = size + len(content), left - len(content)
            if line is not None:
                self.rfile.readline()
            if line is None or int(line, 16) == 0:
                break
        self.plain(size=size, sha256=digest.hexdigest())

    def plain(self, **more: object) -> None:
        headers = [[name.lower(), value] for name, value in self.headers.items()]
        content = json.dumps({"method": self.command, "path": self.path, "headers": headers, **more}).encode()
        self.send_response(302 if self.path == "/leads" else 200)
        if self.path == "/leads":
            self.send_header("Location", f"http://localhost:{sys.argv[1]}/there?x=1")
        for cookie in ("perdure_session=evil; Path=/", "mine=1; Domain=example.net; Path=/", "other=2"):
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Type", "text/html" if self.path == "/page" else "application/json")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Strict-Transport-Security", "max-age=1")
        self.send_header("Clear-Site-Data", '"*"')
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'; img-src *")
        self.send_header("Keep-Alive", "timeout=5")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def big(self) -> None:
        pieces = int(self.path.partition("=")[2])
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(pieces * len(PIECE)))
        self.end_headers()
        for _ in range(pieces):
            self.wfile.write(PIECE)

    def broken(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"half")
        self.close_connection = True

    def events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number in range(100_000):
            self.wfile.write(f"data: {number}\n\n".encode())
            time.sleep(0.05)

    def socket(self) -> None:
        accept = base64.b64encode(
            hashlib.sha1(  # noqa: S324
                self.headers["sec-websocket-key"].encode() + MAGIC
            ).digest()
        )
        self.send_response_only(101)
        for name, value in (
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", accept.decode()),
        ):
            self.send_header(name, value)
        if self.headers["sec-websocket-protocol"]:
            self.send_header("Sec-WebSocket-Protocol", self.headers["sec-websocket-protocol"].split(",")[-1].strip())
        self.end_headers()
        self._say(1, json.dumps([[name.lower(), value] for name, value in self.headers.items()]).encode())
        while True:
            first, second = self.rfile.read(2)
            length = second & 127
            if length == 126:
                length = int.from_bytes(self.rfile.read(2), "big")
            elif length == 127:
                length = int.from_bytes(self.rfile.read(8), "big")
            mask, content = self.rfile.read(4), self.rfile.read(length)
            content = bytes(byte ^ mask[place % 4] for place, byte in enumerate(content))
            self._say(first & 15, content)
            if first & 15 == 8:
                self.close_connection = True
                return

    def _say(self, kind: int, content: bytes) -> None:
        size = len(content)
        length = (
            bytes([size])
            if size < 126
            else b"\x7e" + size.to_bytes(2, "big")
            if size < 65536
            else b"\x7f" + size.to_bytes(8, "big")
        )
        self.wfile.write(bytes([0x80 | kind]) + length + content)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), App).serve_forever()
