"""This machine: its kernel's values are written where the kernel has them."""

__all__ = ["LiveMachine"]

import errno
import os

from sparktune.agent.machine import Kept, Machine


class LiveMachine(Machine):
    """The only place that changes something of a running system."""

    def write_value(self, path: str, text: str) -> None:
        """Write at once: the kernel takes one write as one value."""
        data = text.encode()
        handle = os.open(self.tree.real(path), os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if os.write(handle, data) != len(data):
                raise OSError(errno.EIO, "only a part was taken")
        finally:
            os.close(handle)

    def restore_value(self, path: str, text: str, kept: Kept) -> None:
        """Write what was there; what follows from it the kernel does itself."""
        del kept
        self.write_value(path, text)

    def kept(self, *paths: str) -> Kept:
        """Return nothing: the kernel keeps what follows from its values."""
        del paths
        return {}
