"""What passes the proxy of a recording in its tests: a request, a whole answer, and a stream in its pieces."""

from tests.support.scripted_server import ScriptedServer
from tests.support.traffic import answer, chat, events, request

CHAT = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
FIRST = events({"choices": [{"delta": {"content": "one"}}]})
LAST = events({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}, "[DONE]")
ASK = request(chat(("user", "what is the word?"), stream=True))
TOLD = answer(b'{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}')


def chunk(data: bytes) -> bytes:
    """Return data as one chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def url_of(server: ScriptedServer, scheme: str = "http") -> str:
    """Return the base URL of a server that plays a script."""
    return f"{scheme}://{server.host}:{server.port}/v1"
