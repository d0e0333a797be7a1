"""Text that only this deployment could have written: content and its mark, as one word for addresses and cookies."""

import base64
import hashlib
import hmac


class Signatures:
    """Marks made with one key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def sealed(self, content: bytes) -> str:
        return f"{_text(content)}.{_text(self._mark(content))}"

    def opened(self, text: str) -> bytes | None:
        """The content, if the mark is ours."""
        content, _, mark = text.partition(".")
        try:
            found = base64.urlsafe_b64decode(content)
            return found if hmac.compare_digest(base64.urlsafe_b64decode(mark), self._mark(found)) else None
        except ValueError:
            return None

    def _mark(self, content: bytes) -> bytes:
        return hmac.new(self._key, content, hashlib.sha256).digest()


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode()
