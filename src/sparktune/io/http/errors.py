"""From what went wrong on the wire to the error that a person reads."""

__all__ = ["answer_error", "transport_error"]

import errno
import re
import socket
from collections.abc import Sequence
from typing import Final

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from sparktune.errors import (
    AuthRejected,
    ConnectFailed,
    EndpointError,
    NotOpenAI,
    NotReady,
    NotTrusted,
    RequestRejected,
    UnknownModel,
)
from sparktune.io.http.address import Address
from sparktune.io.http.words import context_limit, error_code, error_in, is_html, one_line, server_words
from sparktune.model.engine import Answer
from sparktune.redact import redact_text
from sparktune.units import Seconds, format_seconds

_PORTS = "the usual ports are 8000 (vLLM), 8080 (llama.cpp) and 30000 (SGLang)"
_KEY_HINT = "set SPARKTUNE_API_KEY, or name a file with --api-key-file"
_URL_HINT = "give the address of an OpenAI-compatible server, like http://localhost:8000/v1"
_TRUST_HINT = (
    "use the name that the certificate is for, or name a file with the certificate of who signed it: SSL_CERT_FILE=FILE"
)
_PLAIN_HINT = "is this server plain http? Then it needs http:// instead of https://"
_ABOUT_KEYS: Final = re.compile(r"authenticat|unauthori[sz]ed|api.?key", re.IGNORECASE)
_OK: Final = range(200, 300)
_REDIRECTS: Final = range(300, 400)
_LOADING: Final = frozenset({502, 503, 504})
_UNREACHABLE: Final = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN})


def transport_error(address: Address, error: BaseException, *, waited_s: Seconds) -> EndpointError:
    """Say why no whole answer came within ``waited_s``."""
    where = address.authority
    if isinstance(error, aiohttp.ClientConnectorDNSError | socket.gaierror):
        message = f"the host name {address.target.host} is not known"
        return ConnectFailed(
            message, hint=f"check its spelling, or use an IP address; try: getent hosts {address.target.host}"
        )
    if address.target.tls and (failed := _no_tls(address, error, waited_s)):
        return failed
    if isinstance(error, aiohttp.ClientConnectorError):
        return _not_connected(address, error.os_error)
    if isinstance(error, TimeoutError):
        message = f"{where} did not answer within {format_seconds(waited_s)}"
        return ConnectFailed(message, hint="is the host up, does a firewall drop the port, is the server busy?")
    if isinstance(error, aiohttp.ServerDisconnectedError | OSError):
        message = f"{where} closed the connection without an answer"
        return ConnectFailed(
            message, hint="look at the server's log; a server with TLS needs https:// instead of http://"
        )
    message = f"what {where} sends is no complete HTTP answer: {_complaint(error)}"
    return NotOpenAI(message, hint=_URL_HINT)


def _no_tls(address: Address, error: BaseException, waited_s: Seconds) -> ConnectFailed | None:
    where = address.authority
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        told = one_line(str(error.certificate_error))
        return NotTrusted(f"the certificate of {where} is not trusted: {told}", hint=_TRUST_HINT)
    if isinstance(error, aiohttp.ClientSSLError | aiohttp.ServerFingerprintMismatch):
        cause = getattr(error, "os_error", None) or error  # its own words say the address once more
        return ConnectFailed(f"no TLS connection to {where}: {one_line(str(cause))}", hint=_PLAIN_HINT)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        # A plain server that waits for the end of a line never answers the first words of TLS.
        message = f"no TLS connection to {where} within {format_seconds(waited_s)}"
        return ConnectFailed(message, hint=f"{_PLAIN_HINT}; else: is the host up, does a firewall drop the port?")
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, ConnectionResetError):
        return ConnectFailed(f"{where} ends the connection at the first words of TLS", hint=_PLAIN_HINT)
    return None


def _complaint(error: BaseException) -> str:
    """Return the HTTP parser's own words, without the bytes that it quotes: those are the server's, or a key."""
    cause = error.__cause__ if isinstance(error.__cause__, HttpProcessingError) else error
    words = str(getattr(cause, "message", "") or cause).strip().partition("\n")[0]
    return one_line(words.partition(": b'")[0].rstrip(":")) or type(error).__name__


def answer_error(
    address: Address, answer: Answer, *, path: str, keyed: bool, models: Sequence[str] = (), doing: str = ""
) -> EndpointError:
    """Say why an answer cannot be used: its status, or a body that is not what the route answers.

    ``keyed`` says whether a key was sent, ``models`` what the server serves, ``doing`` names the work, like the cell.
    """
    if answer.status in {401, 403}:
        what = "refuses the API key" if keyed else "wants an API key"
        return AuthRejected(f"{address.authority} {what} ({_said(answer)})", hint=_KEY_HINT)
    if answer.status in _LOADING:
        hint = "wait until it is ready, or let this command wait: --wait SECONDS"
        return NotReady(f"{address.authority} is not ready ({_said(answer)})", hint=hint)
    if answer.status in _REDIRECTS:
        target = next((value for name, value in answer.headers.items() if name.lower() == "location"), "elsewhere")
        message = f"{address.root}{path} sends us on to {redact_text(one_line(target))}"
        return NotOpenAI(message, hint="give that address instead")
    if answer.status in _OK or is_html(answer):
        return _not_openai(address, answer, path=path)
    if answer.status == 404:  # noqa: PLR2004 # the HTTP status that means not found
        return _not_found(address, answer, path, models)
    return _rejected(address, answer, doing)


def _error_in_ok(address: Address, answer: Answer, path: str, means: int) -> EndpointError:
    """Say what a server complains of that sends its errors with the status of an answer."""
    words = server_words(answer)
    message = f"{address.root}{path} answers 200 with an error in it" + (f": {words!r}" if words else "")
    if means in {401, 403} or _ABOUT_KEYS.search(words):
        return AuthRejected(message, hint=_KEY_HINT)
    return NotOpenAI(message, hint="the server, or a gateway in front of it, says so: look at its log, then try again")


def _not_openai(address: Address, answer: Answer, *, path: str) -> EndpointError:
    """Say what answers there, when it is no OpenAI-compatible server, or one whose errors come as answers."""
    if (means := error_in(answer)) is not None:
        return _error_in_ok(address, answer, path, means)
    kind = "a web page" if is_html(answer) else "no JSON of the OpenAI form"
    words = server_words(answer)
    said = f": {words!r}" if words else ""
    return NotOpenAI(f"{address.root}{path} answers {kind} ({answer.status}){said}", hint=_URL_HINT)


def _not_connected(address: Address, error: OSError) -> ConnectFailed:
    where = address.authority
    code = error.errno
    if code == errno.ECONNREFUSED or (code is None and str(errno.ECONNREFUSED) in str(error)):
        message = f"nobody listens at {where} (connection refused)"
        return ConnectFailed(message, hint=f"does the server run? see its ports there with: ss -ltn; {_PORTS}")
    if code in _UNREACHABLE:
        message = f"there is no way to {address.target.host} ({one_line(error.strerror or str(error))})"
        return ConnectFailed(message, hint="check the address and the network")
    return ConnectFailed(f"no connection to {where}: {one_line(error.strerror or str(error))}", hint=_PORTS)


def _not_found(address: Address, answer: Answer, path: str, models: Sequence[str]) -> UnknownModel | NotOpenAI:
    if "model" in f"{server_words(answer)} {error_code(answer)}".lower():
        hint = f"it serves: {', '.join(models)}" if models else "see GET /v1/models for what it serves"
        return UnknownModel(f"{address.authority} does not serve that model ({_said(answer)})", hint=hint)
    return NotOpenAI(f"{address.root}{path} is no route of this server ({_said(answer)})", hint=_URL_HINT)


def _rejected(address: Address, answer: Answer, doing: str) -> RequestRejected:
    work = f" for {doing}" if doing else ""
    limit = context_limit(answer)
    if limit is None:
        message = f"{address.authority} rejects a request{work} ({_said(answer)})"
        return RequestRejected(message, hint="the server's log may say more")
    known = limit.prompt_tokens is not None and limit.limit is not None
    sizes = f"{limit.prompt_tokens} tokens, the limit is {limit.limit}" if known else _said(answer)
    message = f"the prompt{work} is too long for {address.authority} ({sizes})"
    return RequestRejected(message, hint="use a smaller cell, or start the server with a longer context per request")


def _said(answer: Answer) -> str:
    words = server_words(answer)
    return f"{answer.status}: {words}" if words else str(answer.status)
