"""A real git server over HTTPS: git's own backend behind TLS, for whoever has the token of the moment."""

import os
import subprocess
import threading
from base64 import b64encode
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from perdure.workspaces.egress.certificates import Authority, HostCertificates

HOST = "git.example.test"


class BareRepository:
    """`team/app.git` below a folder, with one commit on `main`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repository = root / "team/app.git"
        self.git("init", "-q", "--bare", "-b", "main", str(self.repository))
        self.git("-C", str(self.repository), "config", "http.receivepack", "true")
        self.commits("first")

    def git(self, *arguments: str, content: bytes = b"") -> str:
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
        environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}  # noqa: TID251
        done = subprocess.run(["git", *arguments], input=content, capture_output=True, check=True, env=environment)
        return done.stdout.decode().strip()

    def commits(self, text: str) -> str:
        """One more commit on `main`, made where nobody inside sees it."""
        at = ("-C", str(self.repository))
        blob = self.git(*at, "hash-object", "-w", "--stdin", content=text.encode())
        tree = self.git(*at, "mktree", content=f"100644 blob {blob}\tREADME\n".encode())
        before = self.head("main")
        commit = self.git(*at, "commit-tree", tree, "-m", text, *(("-p", before) if before else ()))
        self.git(*at, "update-ref", "refs/heads/main", commit)
        return commit

    def head(self, branch: str) -> str:
        return self.git("-C", str(self.repository), "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


class GitServer(BareRepository):
    """It over HTTPS."""

    def __init__(self, root: Path, authority: Authority, token: str) -> None:
        super().__init__(root)
        self.token = token
        self.seen: list[str] = []
        """What requests showed as who they are."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        context = HostCertificates(authority).context(HOST)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/team/app.git"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.com"}


def _handler(server: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve(b"")

        def do_POST(self) -> None:
            self._serve(_body(self))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def _serve(self, body: bytes) -> None:
            shown = self.headers.get("authorization", "")
            server.seen.append(shown)
            wanted = "Basic " + b64encode(f"x-access-token:{server.token}".encode()).decode()
            if shown != wanted:
                self._say(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
                return
            self._say(*served(server.root, self.command, self.path, dict(self.headers.items()), body))

        def _say(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            self.send_response(status)
            for name, value in [*headers, ("Content-Length", str(len(content)))]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _body(request: BaseHTTPRequestHandler) -> bytes:
    if request.headers.get("transfer-encoding", "") != "chunked":
        return request.rfile.read(int(request.headers.get("content-length", "0")))
    content = b""
    while size := int(request.rfile.readline(), 16):
        content += request.rfile.read(size)
        request.rfile.readline()
    request.rfile.readline()
    return content


def served(
    root: Path, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, list[tuple[str, str]], bytes]:
    """What git's own backend answers to a request: status, headers, content."""
    parts, named = urlsplit(target), {name.lower(): value for name, value in headers.items()}
    environment = {
        "PATH": "/usr/bin:/bin",
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "REQUEST_METHOD": method,
        "CONTENT_TYPE": named.get("content-type", ""),
        "HTTP_CONTENT_ENCODING": named.get("content-encoding", ""),
        "GIT_PROTOCOL": named.get("git-protocol", ""),
        "REMOTE_USER": "agent",
    }
    done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, check=False, env=environment)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    pairs = [(name, value) for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n"))]
    status = next((value[:3] for name, value in pairs if name == "Status"), "200")
    return int(status), [(name, value) for name, value in pairs if name != "Status"], content
