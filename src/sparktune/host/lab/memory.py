"""Memory of a GB10 that serves a model of middle size, in the form of procfs.

Source: proc(5); sizes as a DGX Spark has them (119.7 GiB, 16 GiB of swap).
"""

__all__ = ["memory_tree"]

from typing import Final

from sparktune.host.lab.tree import NodeTree

_TOTAL_KIB: Final = 125_508_468
_SWAP_KIB: Final = 16_777_212
_PRESSURE: Final = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
_BLOCKS: Final = (4210, 3105, 2204, 1502, 1011, 640, 402, 255, 170, 96, 5120)


def memory_tree(*, cma_total_kib: int = 131_072, cma_free_kib: int = 69_320) -> NodeTree:
    """Return what is read of memory: half of it in use, nothing swapped."""
    sizes = {
        "MemTotal": _TOTAL_KIB,
        "MemFree": 41_943_040,
        "MemAvailable": 56_623_104,
        "Buffers": 401_408,
        "Cached": 13_631_488,
        "SwapTotal": _SWAP_KIB,
        "SwapFree": _SWAP_KIB,
        "CmaTotal": cma_total_kib,
        "CmaFree": cma_free_kib,
    }
    blocks = "".join(f"{count:>7}" for count in _BLOCKS)
    return NodeTree(
        files={
            "/proc/meminfo": "".join(f"{name + ':':<16}{size:>8} kB\n" for name, size in sizes.items()),
            "/proc/vmstat": "pswpin 0\npswpout 0\noom_kill 0\n",
            "/proc/pressure/memory": _PRESSURE,
            "/proc/buddyinfo": f"Node 0, zone   Normal {blocks}\n",
            "/sys/kernel/kexec_crash_size": "0\n",
        }
    )
