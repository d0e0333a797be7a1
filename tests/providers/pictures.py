"""The smallest true picture and document."""

import io

from PIL import Image


def picture(width: int = 2, height: int = 2, *, form: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), (10, 20, 200)).save(made, form)
    return made.getvalue()


def document() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (20, 20), (255, 255, 255)).save(made, "PDF")
    return made.getvalue()


PNG = picture()
PDF = document()
