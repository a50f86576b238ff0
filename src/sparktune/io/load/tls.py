"""TLS over a socket that this package reads and writes itself, so that encrypted answers get kernel stamps too.

The TLS engine works on memory (ssl.SSLObject): what the socket received goes in, plain bytes come out. A plain byte
arrived when the packet arrived that completed its TLS record.
"""

__all__ = ["TlsSession", "client_context"]

import contextlib
import select
import socket
import ssl
from collections.abc import Iterator

from sparktune.errors import UsageError
from sparktune.io.load.stamps import Receive, Received
from sparktune.io.load.target import Target

_READ_BYTES = 16_384


def client_context(target: Target) -> ssl.SSLContext:
    """Verify certificates against the system's authorities (SSL_CERT_FILE counts), or against ``target.ca_file`` only.

    Raises UsageError when that file cannot be read as certificates.
    """
    try:
        context = ssl.create_default_context(cafile=target.ca_file or None)
    except OSError as error:
        message = f"the CA file {target.ca_file!r} cannot be used: {error}"
        raise UsageError(message, hint="give a file with PEM certificates") from error
    context.set_alpn_protocols(["http/1.1"])
    # A renegotiation would need an answer in the middle of a stream.
    context.options |= ssl.OP_NO_RENEGOTIATION
    return context


class TlsSession:
    """The TLS side of one connection."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        """Prepare; nothing is sent yet."""
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name)
        self._ended = False

    def handshake(self, sock: socket.socket) -> Iterator[int]:
        """Shake hands on a connected non-blocking socket; yields the epoll event it waits for.

        Raises ssl.SSLError for a failed verification or handshake, OSError when the connection breaks.
        """
        while True:
            done = False
            try:
                self._object.do_handshake()
                done = True
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError:
                # The alert that says why; the error itself is what counts.
                with contextlib.suppress(OSError):
                    sock.send(self._outgoing.read())
                raise
            yield from self._flush(sock)
            if done:
                return
            yield select.EPOLLIN
            received = sock.recv(_READ_BYTES)
            if received:
                self._incoming.write(received)
            else:
                self._incoming.write_eof()

    def _flush(self, sock: socket.socket) -> Iterator[int]:
        waiting = self._outgoing.read()
        while waiting:
            try:
                waiting = waiting[sock.send(waiting) :]
            except BlockingIOError:
                yield select.EPOLLOUT

    def encrypt(self, plain: bytes) -> bytes:
        """Return what to send for ``plain``."""
        self._object.write(plain)
        return self._outgoing.read()

    def receiver(self, sock: socket.socket) -> Receive:
        """Return what reads like ``sock.recvmsg`` but gives plain bytes.

        It raises BlockingIOError for packets that complete no record, ssl.SSLError for what is not TLS.
        """

        def receive(size: int, ancillary_size: int, /) -> Received:
            received, ancillary, flags, address = sock.recvmsg(size, ancillary_size)
            plain = self._decrypt(received) if received else b""
            if self._ended:
                # The server said goodbye: whatever the connection does now, the next read is its end.
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RD)
            elif received and not plain:
                raise BlockingIOError
            return plain, ancillary, flags, address

        return receive

    def _decrypt(self, received: bytes) -> bytes:
        self._incoming.write(received)
        plain = b""
        try:
            while part := self._object.read(_READ_BYTES):
                plain += part
                # Asking once more would end in an exception, which costs as much as decrypting.
                if not self._incoming.pending and not self._object.pending():
                    return plain
        except ssl.SSLWantReadError:
            return plain
        except ssl.SSLZeroReturnError:
            pass
        self._ended = True
        return plain
