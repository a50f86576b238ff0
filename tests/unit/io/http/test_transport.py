"""Failures of the wire that no server here can be made to show."""

import errno
import os
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from sparktune.errors import ConnectFailed, NotOpenAI, NotTrusted
from sparktune.io.http.address import parse_address
from sparktune.io.http.errors import transport_error
from sparktune.io.http.server import Server

_ADDRESS = parse_address("http://spark:8000/v1")
_TLS = parse_address("https://spark:8000/v1")
_KEY = ConnectionKey("spark", 8000, is_ssl=False, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)


def _not_connected(code: int) -> aiohttp.ClientConnectorError:
    return aiohttp.ClientConnectorError(_KEY, OSError(code, os.strerror(code)))


def _unreadable(message: str) -> aiohttp.ClientResponseError:
    request = aiohttp.RequestInfo(URL("http://spark:8000"), "GET", CIMultiDictProxy(CIMultiDict()), URL())
    return aiohttp.ClientResponseError(request, (), status=400, message=message)


@pytest.mark.parametrize(
    ("error", "kind", "message", "hint"),
    [
        (_not_connected(errno.EHOSTUNREACH), ConnectFailed, "no way to spark (No route to host)", "network"),
        (_not_connected(errno.ENETUNREACH), ConnectFailed, "no way to spark (Network is unreachable)", "network"),
        (
            _not_connected(errno.ECONNRESET),
            ConnectFailed,
            "no connection to spark:8000: Connection reset",
            "8000 (vLLM)",
        ),
        (
            aiohttp.ClientConnectorError(_KEY, OSError(f"Multiple exceptions: [Errno {errno.ECONNREFUSED}] x")),
            ConnectFailed,
            "nobody listens at spark:8000",
            "ss -ltn",
        ),
        (ConnectionResetError(errno.ECONNRESET, "reset"), ConnectFailed, "closed the connection", "server's log"),
        (aiohttp.ClientPayloadError("cut"), NotOpenAI, "no complete HTTP answer: cut", "/v1"),
        (_unreadable("Bad status line:\n  b'HTTP/9 my-secret'"), NotOpenAI, "answer: Bad status line", "/v1"),
        (_unreadable("Got more than 8190 bytes when reading: b'my-secret'."), NotOpenAI, "when reading", "/v1"),
        (TimeoutError(), ConnectFailed, "spark:8000 did not answer within 20.00 s", "firewall"),
    ],
)
def test_transport_error(error: Exception, kind: type[Exception], message: str, hint: str) -> None:
    told = transport_error(_ADDRESS, error, waited_s=20)

    assert type(told) is kind
    assert "my-secret" not in str(told)  # what a server sends can hold the key that it was sent
    assert message in str(told)
    assert hint in told.hint


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (aiohttp.ConnectionTimeoutError(), "no TLS connection to spark:8000 within 10.00 s"),
        (aiohttp.ClientConnectorError(_KEY, ConnectionResetError()), "spark:8000 ends the connection at the first"),
    ],
)
def test_a_server_that_does_not_answer_tls_may_be_plain_http(error: Exception, message: str) -> None:
    """A plain server waits for the rest of what it takes for a request, or hangs up: neither says why."""
    told = transport_error(_TLS, error, waited_s=10)

    assert message in str(told)
    assert "is this server plain http?" in told.hint


def test_a_certificate_that_is_not_trusted_is_no_plain_http() -> None:
    """Whoever is sent to http:// then sends a key in the clear; and what is not trusted is so for ever."""
    refused = ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate")
    told = transport_error(_TLS, aiohttp.ClientConnectorCertificateError(_KEY, refused), waited_s=10)

    assert type(told) is NotTrusted
    assert "the certificate of spark:8000 is not trusted: " in str(told)
    assert "self-signed" in str(told)
    assert "SSL_CERT_FILE=FILE" in told.hint
    assert "http://" not in told.hint


async def test_a_certificate_that_is_not_trusted_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(_server: Server) -> None:
        message = "the certificate of spark:8000 is not trusted"
        raise NotTrusted(message)

    monkeypatch.setattr(Server, "probe", refused)
    with pytest.raises(NotTrusted):
        await Server(_TLS.base_url).wait_ready(limit_s=1e6)


def test_tls_does_not_hide_that_nobody_listens() -> None:
    told = transport_error(_TLS, _not_connected(errno.ECONNREFUSED), waited_s=10)

    assert "nobody listens at spark:8000" in str(told)


async def test_a_server_outside_its_context_is_a_fault_of_ours() -> None:
    with pytest.raises(RuntimeError, match="outside its context"):
        await Server("http://spark:8000").probe()
