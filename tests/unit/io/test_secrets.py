"""API keys are found where users keep them and shown nowhere."""

import copy
import json
import logging
import pickle
from pathlib import Path
from urllib.parse import quote

import pytest

from sparktune.errors import UsageError
from sparktune.io.http.client import Client
from sparktune.io.http.server import Server
from sparktune.io.secrets import ApiKey, Secret, headers, read_api_key

_KEY = "sk-very-secret-0123456789"


def _file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_order_of_sources(tmp_path: Path) -> None:
    """What the user says now beats what lies around in the environment."""
    file = _file(tmp_path, "from-file\n")
    environ = {"SPARKTUNE_API_KEY": "from-ours", "OPENAI_API_KEY": "from-openai", "MINE": "from-mine"}

    def reveal(key: ApiKey) -> str | None:
        return key.secret.reveal() if key.secret else None

    assert reveal(read_api_key(environ, flag="from-flag", file=file, variable="MINE")) == "from-flag"
    assert reveal(read_api_key(environ, file=file, variable="MINE")) == "from-file"
    assert reveal(read_api_key(environ, variable="MINE")) == "from-mine"
    assert reveal(read_api_key(environ)) == "from-ours"
    assert reveal(read_api_key(environ | {"SPARKTUNE_API_KEY": ""})) == "from-openai"
    assert read_api_key({}) == ApiKey()


def test_a_key_as_a_flag_is_taken_with_a_warning() -> None:
    key = read_api_key({}, flag=_KEY)

    assert "command line" in key.warnings[0]
    assert _KEY not in repr(key) + str(key)


@pytest.mark.parametrize(
    ("mode", "warns"), [(0o600, False), (0o400, False), (0o640, True), (0o644, True), (0o604, True)]
)
def test_a_key_file_that_others_can_read_is_taken_with_a_warning(tmp_path: Path, mode: int, *, warns: bool) -> None:
    key = read_api_key({}, file=_file(tmp_path, _KEY, mode))

    assert bool(key.warnings) == warns
    assert all("chmod 600" in warning for warning in key.warnings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        (f"{_KEY}\nsecond line", "no HTTP header can carry"),
        (f"KEY={_KEY} # mine", "no HTTP header can carry"),
        (f"{_KEY}\u2026", "no HTTP header can carry"),
        ("x" * 20_000, "longer than"),
    ],
)
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_api_key({}, file=_file(tmp_path, text))

    assert _KEY not in str(caught.value) + caught.value.hint


def test_a_key_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_api_key({}, file=tmp_path / "none")


def test_a_configured_variable_that_is_not_set_is_an_error() -> None:
    """Falling back to another key would send it to a server that it is not for."""
    with pytest.raises(UsageError, match="MINE, which should hold the API key, is not set"):
        read_api_key({"SPARKTUNE_API_KEY": _KEY}, variable="MINE")


def test_a_secret_is_shown_by_nothing(caplog: pytest.LogCaptureFixture) -> None:
    secret = Secret(_KEY)
    holders = [secret, ApiKey(secret=secret), Client(Server("h").address, secret), Server("http://h", secret)]
    logging.getLogger("test").warning("%s %r", secret, holders)

    assert _KEY not in "".join(f"{holder} {holder!r}" for holder in holders) + caplog.text
    for spread in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied"):
            spread(secret)
    assert headers(secret) == {"Authorization": f"Bearer {_KEY}"}
    assert headers(None) == {}


_ODD = 'a/"b\\c+-1234'


@pytest.mark.parametrize(
    "written",
    [
        _ODD.encode(),
        json.dumps(_ODD).encode()[1:-1],
        json.dumps(_ODD).replace("/", "\\/").encode()[1:-1],
        "".join(f"\\u{ord(letter):04X}" for letter in _ODD).encode(),
        quote(_ODD, safe="").encode(),
        quote(_ODD, safe="").lower().encode(),
    ],
)
def test_hides_a_key_however_a_server_writes_it(written: bytes) -> None:
    """Gateways repeat the key that they refuse, in JSON, in a URL or bare."""
    secret = Secret(_ODD)

    assert secret.hide(b"key " + written + b" is \\bad%") == b"key *** is \\bad%"
    assert secret.hide(written + b"!" + written, keep_length=True) == b"*" * len(written) + b"!" + b"*" * len(written)


@pytest.mark.parametrize("text", ["EMPTY", _KEY])
def test_leaves_everything_else_as_it_is(text: str) -> None:
    """Short keys are placeholders: as words of an answer they mean something else."""
    data = b'{"content": "EMPTY \\u0041 100 %"}'

    assert Secret(text).hide(data) == data
