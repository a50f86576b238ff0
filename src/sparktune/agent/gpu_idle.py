"""Whether a node's GPU and RDMA card do anything, as far as that is cheap to tell.

Sources: nvidia-smi's query ``utilization.gpu``; Documentation/ABI/stable/sysfs-class-infiniband (port_xmit_data and
port_rcv_data count words of four bytes). A node without such a device has none of its work; a device that is there and
does not answer may be at work.
"""

__all__ = ["Devices"]

import os
import time

from sparktune.agent.thread_rules import raw

TYPE_CHECKING = False  # as in thread_rules
if TYPE_CHECKING:
    from sparktune.agent.thread_rules import Paths

_DRIVER = "/proc/driver/nvidia"
_CARDS = "/sys/class/infiniband"
_COUNTERS = ("port_xmit_data", "port_rcv_data")
_GPU = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
_LONGEST_S = 1.5
_MOST_BYTES = 65_536
_WORD_BYTES = 4
_QUIET_BYTES_PER_S = 10_000.0  # management traffic of a port that carries nothing
_NS = 1_000_000_000


class Devices:
    """The devices of this machine, from now on."""

    def __init__(self, tree: "Paths") -> None:
        """See which there are, and read what the ports have carried so far."""
        self._tree = tree
        self._gpu = bool(_names(tree, _DRIVER))
        self._at_ns, self._words = time.monotonic_ns(), self._carried()

    def work(self) -> str:
        """Return what is at work since the last look, or cannot be told not to be; "" for nothing."""
        before_ns, before = self._at_ns, self._words
        self._at_ns, self._words = time.monotonic_ns(), self._carried()
        moved = (self._words - before) * _WORD_BYTES
        if moved * _NS >= _QUIET_BYTES_PER_S * (self._at_ns - before_ns):
            return "the RDMA card carries data: something is at work"
        return self._gpu_work() if self._gpu else ""

    def _carried(self) -> int:
        total = 0
        for card in _names(self._tree, _CARDS):
            for port in _names(self._tree, f"{_CARDS}/{card}/ports"):
                folder = f"{_CARDS}/{card}/ports/{port}/counters"
                total += sum(int(raw(self._tree, f"{folder}/{name}").strip() or "0") for name in _COUNTERS)
        return total

    def _gpu_work(self) -> str:
        from sparktune.agent.running import run_program  # noqa: PLC0415 - it costs time, and is seldom needed

        result = run_program(_GPU, time.monotonic() + _LONGEST_S, _MOST_BYTES)
        text = str(result["value"]["stdout"]) if result["state"] == "present" else ""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines or not all(line.isdecimal() for line in lines):
            return "whether the GPU is at work cannot be told (nvidia-smi)"
        return "the GPU is at work" if any(int(line) for line in lines) else ""


def _names(tree: "Paths", folder: str) -> list[str]:
    try:
        return os.listdir(tree.real(folder))
    except OSError:
        return []
