"""Certificates for hosts whose TLS is opened: an authority for each workspace, whose key stays outside."""

import hashlib
import os
import re
import ssl
import struct
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from threading import Lock

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from perdure.core.timing import CLOCKS_APART, EGRESS_AUTHORITY, EGRESS_CERTIFICATE

STORE_PASSWORD = "changeit"  # noqa: S105
"""Java's own: a store of certificates needs one, and these are nobody's secret."""
JKS_MAGIC, JKS_VERSION, JKS_TRUSTED, JKS_SALT = 0xFEEDFEED, 2, 2, b"Mighty Aphrodite"
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")


@dataclass(frozen=True, slots=True)
class Authority:
    """Who vouches for the hosts of one workspace."""

    certificate: str
    key: str


def new_authority(name: str) -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _named(f"Perdure workspace {name}")
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    made = (
        _begun(subject, subject, EGRESS_AUTHORITY, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(made.public_bytes(serialization.Encoding.PEM).decode(), _pem(key))


class HostCertificates:
    """Server contexts of TLS by host, made when they are needed first."""

    def __init__(self, authority: Authority) -> None:
        self._certificate = x509.load_pem_x509_certificate(authority.certificate.encode())
        key = serialization.load_pem_private_key(authority.key.encode(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        self._host_key = ec.generate_private_key(ec.SECP256R1())
        self._known: dict[str, ssl.SSLContext] = {}
        self._lock = Lock()

    def context(self, host: str) -> ssl.SSLContext:
        with self._lock:
            if host not in self._known:
                self._known[host] = self._context(host)
            return self._known[host]

    def _context(self, host: str) -> ssl.SSLContext:
        certificate = self._of(host).public_bytes(serialization.Encoding.PEM).decode()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        # The library reads keys from files only, and this one shall not be on a disk.
        with os.fdopen(os.memfd_create("certificate"), "w") as file:
            file.write(certificate + _pem(self._host_key))
            file.flush()
            context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
        return context

    def _of(self, host: str) -> x509.Certificate:
        issuer, public = self._certificate, self._key.public_key()
        return (
            _begun(_named(host[:64]), issuer.subject, EGRESS_CERTIFICATE, self._host_key)
            .add_extension(x509.SubjectAlternativeName(_alternatives(host)), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False)
            .sign(self._key, hashes.SHA256())
        )


def java_store(certificates: str) -> bytes:
    """Certificates as Java keeps those that it trusts, passed on as they are."""
    found = [b64decode(each) for each in _PEM.findall(certificates)]
    stored = b"".join(
        struct.pack(">I", JKS_TRUSTED) + _java_text(str(number)) + bytes(8) + _java_text("X.509") + _java_bytes(each)
        for number, each in enumerate(found)
    )
    store = struct.pack(">III", JKS_MAGIC, JKS_VERSION, len(found)) + stored
    salted = STORE_PASSWORD.encode("utf-16-be") + JKS_SALT + store
    return store + hashlib.sha1(salted, usedforsecurity=False).digest()


def _java_text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _java_bytes(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _alternatives(host: str) -> Sequence[x509.GeneralName]:
    try:
        return [x509.IPAddress(ip_address(host))]
    except ValueError:
        return [x509.DNSName(host)]


def _begun(
    subject: x509.Name, issuer: x509.Name, life: timedelta, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_APART)
        .not_valid_after(now + life)
    )


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode()
