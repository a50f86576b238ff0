"""Whether a process's command line is an arm's, as it is or as wrappers and interpreters make it."""

import pytest

from sparktune.io.launching.live_process import carries

_SERVER = ("llama-server", "--parallel", "4")


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (_SERVER, _SERVER),
        (("/bin/sh", "./serve", "4"), ("./serve", "4")),
        (("/usr/bin/python3", "-u", "serve.py", "4"), ("serve.py", "4")),
        (("/usr/bin/python3", "/home/me/bin/vllm", "serve", "m"), ("vllm", "serve", "m")),
        (_SERVER, ("nice", "-n", "5", *_SERVER)),
        (_SERVER, ("env", "A=1", *_SERVER)),
        (_SERVER, ("bash", "-c", "llama-server --parallel 4")),
        (_SERVER, ("bash", "-lc", "-c", "A=1 exec llama-server --parallel 4")),
    ],
    ids=" ".join,
)
def test_it_is(found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    assert carries(found, wanted)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (("llama-server", "--parallel", "1"), _SERVER),
        ((), _SERVER),
        (("llama-server", "--parallel", "4", "--extra"), _SERVER),
        (("4",), _SERVER),
        (("other-server", "--parallel", "4"), _SERVER),
        (("wrap", "its", "own", "--parallel", "4"), ("./run", "--parallel", "4")),
        (("llama-server", "--parallel", "1"), ("bash", "run.sh", "--parallel", "4")),
        (_SERVER, ("bash", "-c", "sleep 1 && llama-server --parallel 4")),
        (_SERVER, ("bash", "-c", "llama-server --parallel '4")),
        (_SERVER, ("bash", "-c", "llama-server --parallel $N")),
        (("VLLM::EngineCore",), ("vllm", "serve", "m")),
    ],
    ids=str,
)
def test_it_is_not(found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    """What could be another server's must not prove an arm."""
    assert not carries(found, wanted)
