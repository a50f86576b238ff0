"""Nodes that answer, but wrongly: whatever comes, it is one error with the node's name, and nothing is left behind."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sparktune.errors import NodeError, NodeNoPython, NodeProtocolError, NodeUnreachable
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.reads import ReadFile

_GREET = "for word; do :; done; printf '\\nsparktune-agent %s\\n' \"${word##* }\""
_HELLO = (
    'echo \'{"id":1,"ok":{"protocol":1,"boot_id":"","hostname":"","uid":0,"python":"3","monotonic_ns":1,"wall_ns":1}}\''
)
_PART = 'echo \'{"id":2,"part":{"index":0,"state":"absent"}}\''
_END = 'echo \'{"id":2,"ok":{"reads":1}}\''
_READS = (ReadFile(path="/proc/version"),)
_WHOLE = f"{_GREET}; {_HELLO}; {_PART}; {_END}"


@pytest.fixture(name="node")
def _node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], NodeTarget]:
    """Make a node of a shell script that stands for ssh."""

    def write(script: str) -> NodeTarget:
        path = tmp_path / "ssh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("SPARKTUNE_SSH", str(path))
        return NodeTarget(name="spark", host="spark")

    return write


async def test_the_script_is_a_node_when_nothing_is_wrong(node: Callable[[str], NodeTarget]) -> None:
    """Else the cases below would prove nothing."""
    (answer,) = await observe_all([node(_WHOLE)], _READS)

    assert answer.error is None


@pytest.mark.parametrize(
    ("script", "kind", "message"),
    [
        (f"{_GREET}; {_HELLO}; printf '{{\"id\":2,'", NodeProtocolError, "breaks off, the agent ended with code 0"),
        (f"{_GREET}; {_HELLO}; {_PART}; exit 7", NodeProtocolError, "breaks off, the agent ended with code 7"),
        (f"{_GREET}; {_HELLO}; {_PART}; exit 255", NodeUnreachable, "the connection was lost"),
        (f"{_GREET}; {_HELLO}; {_PART}; exec >&-; read -r _", NodeProtocolError, "the answer breaks off"),
        (f"{_GREET}; {_HELLO}; {_END}", NodeProtocolError, "it answers 0 of 1 reads"),
        (f"{_GREET}; {_HELLO}; {_PART}; {_PART}; {_END}", NodeProtocolError, "it sends more than 1 answers"),
        (f"{_GREET}; {_HELLO}; while :; do {_PART}; done", NodeProtocolError, "it sends more than 1 answers"),
        (f"{_GREET}; {_PART}", NodeProtocolError, "it answers request 2, but was asked request 1"),
        (f"{_GREET}; echo Killed", NodeProtocolError, "it sends what the agent does not"),
        (f"{_GREET}; head -c 100000 /dev/urandom; echo", NodeProtocolError, "it sends what the agent does not"),
        (f"{_GREET}; printf '\\000\\377\\n'", NodeProtocolError, "it sends what the agent does not"),
        (
            f'{_GREET}; echo \'{{"id":1,"error":{{"kind":"internal","message":"no"}}}}\'',
            NodeProtocolError,
            "internal: no",
        ),
        ("exec yes", NodeProtocolError, "something else"),
        ("exec head -c 1000000 /dev/zero", NodeProtocolError, "something else"),
        ("echo Welcome; exit 0", NodeProtocolError, "nothing answers, the agent ended with code 0"),
        ("echo bash: python3: command not found >&2; exit 127", NodeNoPython, "command not found"),
        ("yes complaint | head -c 10000000 >&2; exit 255", NodeUnreachable, "(complaint)"),
        ("kill -9 $$", NodeProtocolError, "code -9"),
    ],
)
async def test_each_wrong_answer_is_one_error(
    node: Callable[[str], NodeTarget], script: str, kind: type[NodeError], message: str
) -> None:
    (answer,) = await observe_all([node(script)], _READS)

    assert answer.error is not None
    assert type(answer.error) is kind, str(answer.error)
    assert str(answer.error).startswith("spark: ")
    assert message in str(answer.error)
    assert "\n" not in str(answer.error)
    assert len(str(answer.error)) < 400
    assert answer.error.hint


async def test_a_node_that_never_ran_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARKTUNE_SSH", str(tmp_path / "no-ssh"))

    (answer,) = await observe_all([NodeTarget(name="spark", host="spark")], _READS)

    assert isinstance(answer.error, NodeUnreachable)
    assert "cannot be started: No such file" in str(answer.error)
    assert "openssh-client" in answer.error.hint


async def test_an_old_python_is_named(node: Callable[[str], NodeTarget], tmp_path: Path) -> None:
    """The first lines that reach a node must be understood by any Python that is there."""
    fake = tmp_path / "python3"
    fake.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != -c ]; do shift; done\n'
        f'exec {sys.executable} -c "import sys; sys.version_info = (3, 8, 10);'
        " sys.version = '3.8.10 (default)'; sys.argv = ['-c', *sys.argv[2:]]; $2\" \"$@\"\n"
    )
    fake.chmod(0o755)

    (answer,) = await observe_all([node(f'PATH={tmp_path}:$PATH; for w; do :; done; exec sh -c "$w"')], _READS)

    assert isinstance(answer.error, NodeNoPython)
    assert "this is 3.8.10" in str(answer.error)


async def test_what_comes_late_is_no_answer_to_what_was_asked_then(node: Callable[[str], NodeTarget]) -> None:
    """Ticks that were under way when the iteration was left must not be taken for the next answer."""
    tick = '{"id":1,"part":{"tick":%d,"monotonic_ns":1,"wall_ns":1,"missed":0,"changed":{},"gone":[]}}'
    ticks = "; ".join(f"echo '{tick % number}'" for number in range(3))
    script = f'{_GREET}; {ticks}; echo \'{{"id":1,"ok":{{}}}}\'; {_HELLO.replace(":1,", ":2,", 1)}; cat >/dev/null'

    async with NodeSession(node(script)) as session:
        async for sample in session.sample(_READS, interval_s=0.1):
            assert sample.tick == 0
            break
        hello = await session.hello()

    assert hello.python == "3"
