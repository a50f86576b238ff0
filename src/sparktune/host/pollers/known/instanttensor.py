"""InstantTensor's loader threads: they yield while a model is loaded, and are gone afterwards."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="instanttensor",
    title="InstantTensor's loader",
    process=re.compile(""),
    thread=re.compile(r"^(?:instanttensor|it_loader|InstantTens)"),
    why="it loads weights, and yields between reads; it ends with the load",
    fix="wait until the model is loaded and scan again",
    source="https://github.com/scitix/InstantTensor",
    placement=False,
    computes=True,
)
