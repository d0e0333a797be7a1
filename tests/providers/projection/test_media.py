"""Files on their way to a model never brick a chat."""

import io

import pytest
from PIL import Image
from tests.providers.pictures import PDF, PNG, picture

from perdure.core.message import Text
from perdure.providers.projection.media import (
    MAX_PICTURE_BYTES,
    MAX_PICTURE_EDGE,
    MAX_TEXT_BYTES,
    Attachment,
    fitted,
    resolved,
    shrunk,
)
from perdure.providers.request import FileContent


def shown(content: FileContent | None, *, images: bool = True, documents: bool = True) -> Text | Attachment:
    files = {} if content is None else {"f": content}
    return resolved("f", "a.file", files=files, images=images, documents=documents)


def test_what_fits_goes_as_it_is() -> None:
    assert shown(FileContent("a.file", "image/png", PNG)) == Attachment("a.file", "image/png", PNG)
    assert shown(FileContent("a.file", "application/pdf", PDF)) == Attachment("a.file", "application/pdf", PDF)


@pytest.mark.parametrize("size", [(5000, 100), (100, 5000), (2500, 2500)])
def test_a_large_picture_is_scaled_down(size: tuple[int, int]) -> None:
    small = fitted(FileContent("a", "image/png", picture(*size)))
    assert small is not None
    with Image.open(io.BytesIO(small.data)) as opened:
        assert max(opened.size) <= MAX_PICTURE_EDGE
        assert opened.format == "JPEG"
    assert small.media_type == "image/jpeg"


def test_a_file_is_shrunk_once_and_then_goes_as_it_is() -> None:
    small = shrunk(FileContent("a.png", "image/png", picture(5000, 100)))
    assert (small.name, small.media_type) == ("a.png", "image/jpeg")
    assert shrunk(small) == small
    assert fitted(small) == Attachment("a.png", "image/jpeg", small.data)
    text = FileContent("a", "text/plain", b"x")
    assert shrunk(text) is text


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_that_breaks_off_is_none(form: str) -> None:
    whole = picture(500, 500, form=form)
    assert shrunk(FileContent("a", "image/png", whole)).data == whole
    for data in (whole[: len(whole) // 2], whole[:40], b"no picture"):
        broken = shrunk(FileContent("a", "image/png", data))
        assert not broken.data
        assert shown(broken) == Text("[The file 'a.file' is a picture that could not be read.]")


def test_a_heavy_picture_is_made_lighter() -> None:
    noise = Image.effect_noise((1900, 1900), 100).convert("RGB")
    made = io.BytesIO()
    noise.save(made, "PNG")
    assert made.tell() > MAX_PICTURE_BYTES
    light = fitted(FileContent("a", "image/png", made.getvalue()))
    assert light is not None
    assert len(light.data) <= MAX_PICTURE_BYTES


def test_a_lying_media_type_is_corrected() -> None:
    jpeg = picture(form="JPEG")
    assert shown(FileContent("a", "image/png", jpeg)) == Attachment("a", "image/jpeg", jpeg)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is no longer available"),
        (FileContent("a", "image/png", b"no picture"), "could not be read"),
        (FileContent("a", "image/png", PNG[:40]), "could not be read"),
        (FileContent("a", "text/plain", b"\x00\x01\x02"), "is not a text"),
        (FileContent("a", "application/pdf", b"x" * 11 * 1024 * 1024), "too large"),
    ],
)
def test_what_cannot_be_sent_is_said(content: FileContent | None, words: str) -> None:
    told = shown(content)
    assert isinstance(told, Text)
    assert words in told.text


def test_a_picture_of_too_many_pixels_is_not_even_opened() -> None:
    assert fitted(FileContent("a", "image/png", picture(9000, 9000))) is None


def test_a_model_that_cannot_see_is_told() -> None:
    told = [
        shown(FileContent("a", "image/png", PNG), images=False),
        shown(FileContent("a", "application/pdf", PDF), documents=False),
    ]
    assert [part.text for part in told if isinstance(part, Text)] == [
        "[The file 'a.file' is a picture, which this model cannot see.]",
        "[The file 'a.file' is a PDF, which this model cannot read.]",
    ]


def test_texts_go_as_text_up_to_a_length() -> None:
    assert shown(FileContent("a", "text/csv", b"1,2")) == Text('<file name="a.file">\n1,2\n</file>')
    long = shown(FileContent("a", "text/plain", b"x" * (MAX_TEXT_BYTES + 1)))
    assert isinstance(long, Text)
    assert long.text.endswith("[… the file goes on]\n</file>")


def test_a_picture_that_is_known_to_be_whole_is_not_read_to_its_end() -> None:
    cut = picture(500, 500)[:400]
    assert shrunk(FileContent("a", "image/png", cut), whole=True).data == cut
