"""What goes over the wire is exactly what the caller asked for, plus four headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.errors import UsageError
from sparktune.io.load.target import Target
from sparktune.io.load.wire import post_bytes

_TARGET = Target(host="::1", port=8000)


def test_whole_request() -> None:
    request = post_bytes(_TARGET, "/v1/chat/completions", {"Content-Type": "application/json"}, b'{"a":"\xc3\xa4"}')

    assert request == (
        b"POST /v1/chat/completions HTTP/1.1\r\n"
        b"Host: [::1]:8000\r\n"
        b"Content-Type: application/json\r\n"
        b"Accept: text/event-stream\r\n"
        b"Content-Length: 10\r\n"
        b"Connection: close\r\n"
        b"\r\n"
        b'{"a":"\xc3\xa4"}'
    )


def test_accept_of_the_caller_wins() -> None:
    request = post_bytes(_TARGET, "/", {"accept": "*/*"}, b"")

    assert request.lower().count(b"accept:") == 1
    assert b"accept: */*\r\n" in request


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "a\r\nX-B: b"),
        ("X-A", "a\nb"),
        ("X-A", "a\0"),
        ("X-A", "a\x7f"),
        ("X-A", "\u20ac"),
        ("X-A\r\n", "a"),
        ("X A", "a"),
        ("", "a"),
        ("Host", "elsewhere"),
        ("content-length", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive"),
    ],
)
def test_headers_that_http_cannot_carry(name: str, value: str) -> None:
    """A line break in a key file must not become a header, and a second length must not split the request."""
    with pytest.raises(UsageError):
        post_bytes(_TARGET, "/", {name: value}, b"")


def test_value_is_not_repeated() -> None:
    """The value that cannot be sent may be an API key."""
    with pytest.raises(UsageError) as caught:
        post_bytes(_TARGET, "/", {"Authorization": "Bearer sk-secret\n"}, b"")

    assert "sk-secret" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize("path", ["", "v1", "/v1 /x", "/v1\r\nX: y", "/caf\xe9"])
def test_paths_that_http_cannot_carry(path: str) -> None:
    with pytest.raises(UsageError):
        post_bytes(_TARGET, path, {}, b"")


@given(
    headers=st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4),
    body=st.binary(max_size=40),
)
def test_no_input_smuggles_a_line(headers: dict[str, str], body: bytes) -> None:
    """Whatever the input, it is refused, or the head has one line per header and the body follows whole."""
    try:
        request = post_bytes(_TARGET, "/", headers, body)
    except UsageError:
        return
    head, _, rest = request.partition(b"\r\n\r\n")
    names = [line.partition(b":")[0].decode() for line in head.split(b"\r\n")[1:]]
    accept = [] if any(name.lower() == "accept" for name in headers) else ["Accept"]

    assert names == ["Host", *headers, *accept, "Content-Length", "Connection"]
    assert rest == body
