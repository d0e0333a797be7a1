"""A file out of a form."""

from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP

from perdure.core.errors import InvalidInput, TooLarge


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent, before anybody looked inside."""

    name: str
    media_type: str
    content: bytes

    def within(self, limit: int) -> "Upload":
        if len(self.content) > limit:
            raise TooLarge(limit)
        return self


def upload_of(body: bytes, content_type: str, *, limit: int) -> Upload:
    """The one file of a form."""
    form = BytesParser(policy=HTTP).parsebytes(b"content-type: " + content_type.encode("latin-1") + b"\r\n\r\n" + body)
    files = [part for part in form.iter_parts() if part.get_filename()] if form.is_multipart() else []
    if len(files) != 1:
        raise InvalidInput("The form must hold exactly one file.")
    content = files[0].get_payload(decode=True)
    if not isinstance(content, bytes):
        raise InvalidInput("The form must hold exactly one file.")
    return Upload(files[0].get_filename() or "", files[0].get_content_type(), content).within(limit)
