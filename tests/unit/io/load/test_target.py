"""A URL is typed by a person: everything that is not one must be said at once, with the form that works."""

import pytest

from sparktune.errors import UsageError
from sparktune.io.load.target import Target


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "authority"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", 8000, False, "127.0.0.1:8000"),
        ("http://localhost:8000/v1", "localhost", 8000, False, "localhost:8000"),
        ("http://spark-1", "spark-1", 80, False, "spark-1"),
        ("https://gpu.lan", "gpu.lan", 443, True, "gpu.lan"),
        ("https://gpu.lan:80", "gpu.lan", 80, True, "gpu.lan:80"),
        ("HTTP://GPU.lan:8000", "gpu.lan", 8000, False, "gpu.lan:8000"),
        ("http://[::1]:8000", "::1", 8000, False, "[::1]:8000"),
        ("https://[fd00::2]", "fd00::2", 443, True, "[fd00::2]"),
        ("http://[fe80::1%25eth0]:8000", "fe80::1%eth0", 8000, False, "[fe80::1]:8000"),
        ("http://bücher.example:8000", "xn--bcher-kva.example", 8000, False, "xn--bcher-kva.example:8000"),
    ],
)
def test_address(url: str, host: str, port: int, *, tls: bool, authority: str) -> None:
    target = Target.from_url(url)

    assert (target.host, target.port, target.tls) == (host, port, tls)
    assert target.authority == authority


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "127.0.0.1:8000",
        "//localhost:8000",
        "ftp://localhost:8000",
        "http://",
        "http://:8000",
        "http://localhost:eight",
        "http://localhost:65536",
        "http://localhost:0",
        "http://local host:8000",
        "http://localhost:8000\n",
        "http://local\thost:8000",
        "http://[::1:8000",
        "http://a%20b:8000",
        "http://a%2fb:8000",
        "http://localhost:8000/v1?x=1",
        "http://localhost:8000/v1#x",
        "http://.../v1",
        "http://a..b",
        f"http://{'a' * 64}.lan",
    ],
)
def test_nonsense(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Target.from_url(url)

    assert "http://127.0.0.1:8000" in caught.value.hint


def test_password_in_url_is_not_repeated() -> None:
    """The message may end up in a log or a pasted report."""
    with pytest.raises(UsageError) as caught:
        Target.from_url("http://user:hunter2@localhost:8000")

    assert "hunter2" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Target(host="gpu.lan", port=1), "gpu.lan"),
        (Target(host="10.0.0.1", port=1, server_name="gpu.lan"), "gpu.lan"),
        (Target(host="fe80::1%eth0", port=1), "fe80::1"),
    ],
)
def test_certificate_name(target: Target, name: str) -> None:
    assert target.certificate_name == name
