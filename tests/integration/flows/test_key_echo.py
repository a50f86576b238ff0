"""A gateway may repeat the key that it was sent; what is kept of its answer must not."""

from tests.support.scripted_server import Connection, ScriptedServer, close, read_body

from sparktune.engines import by_name
from sparktune.flows.bench.wave import WaveTools, record_wave
from sparktune.io.http.server import Server
from sparktune.io.load.target import Limits
from sparktune.io.secrets import Secret
from sparktune.model.cell import Cell
from sparktune.model.options import SendOptions
from sparktune.model.prepared import PreparedRequest
from sparktune.model.raw import RawRequest
from sparktune.model.trial import Phase

_KEY = "plain-words-that-no-rule-knows"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"


def _echo(connection: Connection) -> None:
    sent = connection.head.partition(b"Bearer ")[2].partition(b"\r\n")[0]
    assert sent.decode() == _KEY
    event = b'data: {"error": {"message": "no such key: ' + sent.replace(b"-", rb"\u002d") + b'"}}\n\n'
    connection.sock.sendall(_HEAD + b"X-Key: " + sent + b"\r\n\r\n" + event)


async def test_what_is_kept_of_a_wave_holds_no_key() -> None:
    """The spool and the store keep every byte of an answer, and reports quote its errors."""
    request = PreparedRequest(
        stream=0,
        prompt_sha256="0" * 64,
        prompt_tokens_asked=8,
        prompt_tokens_counted=8,
        output_tokens_asked=4,
        body=b"{}",
    )
    spooled: list[RawRequest] = []
    with ScriptedServer({"/v1/chat/completions": [read_body(), _echo, close()]}) as scripted:
        async with Server(f"http://127.0.0.1:{scripted.port}", Secret(_KEY)) as server:
            raw = await record_wave(
                WaveTools(server=server, limits=Limits(), engine=by_name("generic"), options=SendOptions(model="m")),
                Cell(prompt_tokens=8, output_tokens=4),
                Phase.MEASURE,
                0,
                (request,),
                keep=spooled.append,
                look=lambda _: None,
            )

    for kept in (*raw.requests, *spooled):
        data = kept.recording.data
        assert b"no such key: *****" in data
        assert b"words" not in data
        assert kept.recording.read_ends[-1] == len(data)
    assert len(spooled) == 1
