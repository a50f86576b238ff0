"""How one connection is opened, as steps that wait without blocking."""

__all__ = ["Steps", "connect"]

import errno
import os
import select
import socket
import time
from collections.abc import Generator

from sparktune.io.load.names import Address, Route
from sparktune.io.load.stamps import ask_for_stamps
from sparktune.io.load.stream import Stream
from sparktune.io.load.tls import TlsSession
from sparktune.model.recording import End

Steps = Generator[tuple[int, int], None, None]
"""Yields the file descriptor and the epoll event to wait for; an OSError thrown in fails what was waited for."""


def connect(stream: Stream, route: Route, session: TlsSession | None) -> Steps:
    """Connect a stream to the first address that answers, shake hands if there is a TLS session, and attach it.

    A failure ends the stream: with CONNECT and the text of the last address tried, or with TLS.
    """
    stream.connect_start_ns = time.monotonic_ns()
    failure = ""
    for address in route:
        try:
            sock = yield from _connect(address)
        except OSError as error:
            failure = error.strerror or str(error)
            continue
        route.prefer(address)
        stream.connected_ns = time.monotonic_ns()
        yield from _attach(stream, sock, session)
        return
    stream.finish(End.CONNECT, time.monotonic_ns(), failure)


def _connect(address: Address) -> Generator[tuple[int, int], None, socket.socket]:
    family, kind, protocol, _, where = address
    sock = socket.socket(family, kind | socket.SOCK_NONBLOCK, protocol)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        error = sock.connect_ex(where)
        if error == errno.EINPROGRESS:
            yield sock.fileno(), select.EPOLLOUT
            error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        _raise(error)
    except BaseException:
        sock.close()
        raise
    return sock


def _raise(error: int) -> None:
    if error:
        raise OSError(error, os.strerror(error))


def _attach(stream: Stream, sock: socket.socket, session: TlsSession | None) -> Steps:
    stamped = ask_for_stamps(sock)
    if session is None:
        stream.attach(sock, sock.recvmsg, stream.payload, kernel_stamps=stamped)
        return
    try:
        for event in session.handshake(sock):
            yield sock.fileno(), event
        stream.attach(sock, session.receiver(sock), session.encrypt(stream.payload), kernel_stamps=stamped)
    except OSError as error:
        sock.close()
        stream.finish(End.TLS, time.monotonic_ns(), error.strerror or str(error))
    except BaseException:
        sock.close()
        raise
