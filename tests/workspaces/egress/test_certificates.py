"""Certificates as programs of different kinds want them."""

import hashlib
import struct
from io import BytesIO

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from perdure.workspaces.egress.certificates import JKS_MAGIC, JKS_SALT, STORE_PASSWORD, java_store, new_authority


def test_java_finds_every_certificate_in_a_store_of_its_own_kind() -> None:
    authorities = [new_authority(name) for name in ("one", "another")]
    text = "\n# a comment\n".join(each.certificate for each in authorities)
    store = java_store(text)
    content, digest = store[:-20], store[-20:]
    # As its reader checks that nothing was changed, with the password that programs are told.
    assert (
        hashlib.sha1(STORE_PASSWORD.encode("utf-16-be") + JKS_SALT + content, usedforsecurity=False).digest() == digest
    )
    reader = BytesIO(content)
    assert struct.unpack(">III", reader.read(12)) == (JKS_MAGIC, 2, 2)
    names: list[str] = []
    for authority in authorities:
        assert struct.unpack(">I", reader.read(4)) == (2,)
        names.append(_text(reader))
        reader.read(8)
        assert _text(reader) == "X.509"
        (size,) = struct.unpack(">I", reader.read(4))
        expected = x509.load_pem_x509_certificate(authority.certificate.encode()).public_bytes(Encoding.DER)
        assert reader.read(size) == expected
    assert (len(set(names)), reader.read()) == (2, b"")


def _text(reader: BytesIO) -> str:
    (size,) = struct.unpack(">H", reader.read(2))
    return reader.read(size).decode()
