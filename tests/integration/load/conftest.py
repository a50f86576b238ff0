"""Certificates for TLS tests, made by the ``openssl`` program when they are needed."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

_SUBJECTS = {"ca": "/CN=sparktune test authority", "server": "/CN=localhost"}


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S607 - found above


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``ca.pem`` and ``server.pem``, ``server.key`` for localhost and 127.0.0.1, signed by it."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl program is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    # Python 3.13 checks strictly: an authority must say what its key is for, a certificate who signed it.
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
    target = ("-keyout", "ca.key", "-out", "ca.pem", "-subj", _SUBJECTS["ca"])
    _openssl(folder, "req", "-x509", *key, *target, *usage, "-days", "2")
    _openssl(folder, "req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", _SUBJECTS["server"])
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    authority = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    _openssl(folder, "x509", "-req", "-in", "server.csr", *authority, "-out", "server.pem")
    return folder


@pytest.fixture
def server_context(certificates: Path) -> ssl.SSLContext:
    """The server's side of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context
