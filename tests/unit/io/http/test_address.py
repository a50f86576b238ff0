"""What people write as a server's URL."""

import pytest

from sparktune.errors import UsageError
from sparktune.io.http.address import parse_address
from sparktune.io.http.server import Server
from sparktune.io.secrets import Secret
from sparktune.model.options import Api

_GOOD = [
    ("http://localhost:8000", "http://localhost:8000/v1"),
    ("http://localhost:8000/", "http://localhost:8000/v1"),
    ("http://localhost:8000/v1", "http://localhost:8000/v1"),
    (" http://localhost:8000/v1/\n", "http://localhost:8000/v1"),
    ("http://localhost:8000/v1/chat/completions", "http://localhost:8000/v1"),
    ("http://localhost:8000/v1/completions", "http://localhost:8000/v1"),
    ("http://localhost:8000/v1/models", "http://localhost:8000/v1"),
    ("localhost:8000", "http://localhost:8000/v1"),
    ("192.168.1.5:8000/v1", "http://192.168.1.5:8000/v1"),
    ("http://[::1]:8000", "http://[::1]:8000/v1"),
    ("https://api.example.com", "https://api.example.com/v1"),
    ("https://api.example.com:443/v1", "https://api.example.com/v1"),
    ("https://gate.example.com/spark/v1", "https://gate.example.com/spark/v1"),
    ("https://gate.example.com/spark", "https://gate.example.com/spark/v1"),
]
_BAD = [
    ("", "not http(s)"),
    ("http://", "not http(s)"),
    ("ftp://host/v1", "not http(s)"),
    ("http://host:port/v1", "cannot be understood"),
    ("http://host:99999/v1", "cannot be understood"),
    ("http://[::1/v1", "cannot be understood"),
    ("http://ho st/v1", "blanks"),
    ("http://host/v1?x=1", "query"),
    ("http://host/v1#top", "fragment"),
    ("http://me:pw123@host/v1", "user name or password"),
    ("me:pw123@host", "user name or password"),
    ("http://host/caf\u00e9/v1", "no address can hold"),
]


@pytest.mark.parametrize(("written", "base_url"), _GOOD)
def test_every_spelling_of_an_address(written: str, base_url: str) -> None:
    address = parse_address(written)

    assert address.base_url == base_url
    assert address.root == base_url.removesuffix("/v1")
    assert parse_address(address.base_url) == address


@pytest.mark.parametrize(("written", "words"), _BAD)
def test_what_is_no_address(written: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(written)

    assert words in str(caught.value)
    assert caught.value.hint
    assert "pw123" not in str(caught.value) + caught.value.hint


def test_the_load_is_sent_to_the_same_place() -> None:
    """What the stopwatch sends is built here, key and proxy path included."""
    server = Server("https://gate.example.com/spark/v1", Secret("k-1"))

    head, body = server.post_bytes(Api.CHAT, b"{}").split(b"\r\n\r\n")
    assert body == b"{}"
    assert head.split(b"\r\n")[0] == b"POST /spark/v1/chat/completions HTTP/1.1"
    assert b"Host: gate.example.com" in head
    assert b"Authorization: Bearer k-1" in head
    assert b"Content-Type: application/json" in head
