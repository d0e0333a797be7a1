"""A program for tests: an OpenID Connect provider on a loopback port that insists on PKCE."""

import base64
import hashlib
import sys
from urllib.parse import parse_qs, urlsplit

import flask
import oidc_provider_mock
import werkzeug.serving


def require_proof_of_key(app: flask.Flask) -> None:
    """A code is worth something only to whoever knows what the challenge was made of."""
    challenges: dict[str, str] = {}

    def before() -> flask.Response | None:
        if flask.request.path.endswith("/token"):
            digest = hashlib.sha256(flask.request.form.get("code_verifier", "").encode()).digest()
            proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if challenges.get(flask.request.form.get("code", "")) != proof:
                return flask.make_response({"error": "invalid_grant"}, 400)
        elif flask.request.path.endswith("/authorize") and flask.request.args.get("code_challenge_method") != "S256":
            return flask.make_response({"error": "invalid_request"}, 400)
        return None

    def after(response: flask.Response) -> flask.Response:
        codes = parse_qs(urlsplit(response.headers.get("location", "")).query).get("code")
        if codes:
            challenges[codes[0]] = flask.request.args["code_challenge"]
        return response

    app.before_request(before)
    app.after_request(after)


def main() -> None:
    app = oidc_provider_mock.app(require_nonce=True)
    require_proof_of_key(app)
    server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
