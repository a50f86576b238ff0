"""Words for errors of the kernel, as an operator can act on them."""

__all__ = ["GONE", "why"]

import errno
import os

GONE = (errno.ENOENT, errno.ENOTDIR, errno.ESRCH, errno.ENODEV, errno.ENXIO)
_WORDS = {
    errno.EACCES: "may not be written",
    errno.EPERM: "the kernel lets nobody change it",
    errno.EROFS: "lies on a read-only file system",
    errno.EIO: "the kernel or the device refuses it",
    errno.EINVAL: "the value is not taken",
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "no space is left in the quota",
    errno.EBUSY: "it is in use, or something is mounted on it",
    errno.ENOENT: "does not exist",
    errno.ELOOP: "is a link, or leads in circles",
}


def why(error: OSError) -> str:
    """Return what an error means and, in parentheses, what the kernel calls it."""
    number = error.errno or 0
    kernel = os.strerror(number) if number else str(error)
    if number in {errno.EACCES, errno.EPERM} and os.geteuid():
        return f"needs root ({kernel})"
    words = _WORDS.get(number)
    return f"{words} ({kernel})" if words else kernel
