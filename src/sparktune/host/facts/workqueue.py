"""The CPUs of unbound kernel workers: writeback, encryption and many drivers run on them.

Source: Documentation/core-api/workqueue.rst: /sys/devices/virtual/workqueue/cpumask is the mask of all unbound
workqueues; those that are in sysfs themselves (WQ_SYSFS) may be narrower.
"""

__all__ = ["SOURCE", "WORKQUEUE_MASK", "WorkqueueFacts"]

from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, parse_mask
from sparktune.host.facts._shared import word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed
from sparktune.model.reads import ReadFile, Readings

WORKQUEUE_MASK = "/sys/devices/virtual/workqueue/cpumask"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkqueueFacts:
    """``unbound`` are the CPUs of unbound workers, ``text`` the same as the kernel writes it."""

    unbound: Observed[CpuSet]
    text: Observed[str]


def _parse(readings: Readings) -> WorkqueueFacts:
    text = readings.file(WORKQUEUE_MASK).map(word)
    return WorkqueueFacts(unbound=text.map(parse_mask), text=text)


SOURCE = FactSource(name="workqueue", kind=WorkqueueFacts, reads=(ReadFile(path=WORKQUEUE_MASK),), parse=_parse)
