"""Write the server's own name into the Host header, where the server is behind a name.

Only the heads of requests are looked at, bodies go through as they come; what is not understood passes untouched, and
so does everything after it on that connection.
"""

__all__ = ["HostRewriter"]

import re

_MOST_HEAD_BYTES = 64 * 1024
_END = b"\r\n\r\n"
_HOST = re.compile(rb"(?im)^host:[ \t]*[^\r\n]*")
_LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,18})[ \t]*\r?$")
_OTHER_FRAMING = re.compile(rb"(?im)^(?:transfer-encoding|upgrade):")


class HostRewriter:
    """Takes the bytes of one client in order, and returns those to send."""

    def __init__(self, authority: str) -> None:
        """Remember the name, with its port where it is not the usual one."""
        self._host = b"Host: " + authority.encode("ascii")
        self._head = b""
        self._body_left = 0
        self._untouched = False

    def take(self, data: bytes) -> bytes:
        """Return what is to be sent now: bodies at once, a head once it is whole."""
        if self._untouched:
            return data
        out: list[bytes] = []
        while data:
            if self._body_left:
                out.append(data[: self._body_left])
                data, self._body_left = data[self._body_left :], max(0, self._body_left - len(data))
                continue
            self._head, data = self._head + data, b""
            head, found, rest = self._head.partition(_END)
            if found:
                self._head, data = b"", rest
                out.append(self._renamed(head) + found)
                if self._untouched:
                    out.append(data)
                    break
            elif len(self._head) > _MOST_HEAD_BYTES:
                out.append(self.flush())
                self._untouched = True
        return b"".join(out)

    def flush(self) -> bytes:
        """Return a head that will not become whole."""
        head, self._head = self._head, b""
        return head

    def _renamed(self, head: bytes) -> bytes:
        # Chunks would have to be followed to find the next head: there is none after them that is looked for.
        self._untouched = _OTHER_FRAMING.search(head) is not None
        length = _LENGTH.search(head + b"\r\n")
        self._body_left = int(length[1]) if length and not self._untouched else 0
        return _HOST.sub(lambda _: self._host, head, count=1)
