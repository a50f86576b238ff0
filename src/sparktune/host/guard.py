"""Limits below which a machine with one pool of memory is at risk.

Source: https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07 and docs/08, whose guard stops at 3 GiB.
"""

__all__ = ["GUARD_AVAILABLE_BYTES"]

from sparktune.units import Bytes

GUARD_AVAILABLE_BYTES: Bytes = 3 * 1024**3
"""MemAvailable below this ends an experiment."""
