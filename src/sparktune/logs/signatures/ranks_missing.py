"""The head waited for ranks that did not come."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"{found['come']} of {found['all']} had joined." if found["come"] else ""


SIGNATURE = LogSignature(
    id="ranks-missing",
    title="The head waited for ranks that did not come",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "waiting for clients",
        "wait timeout after",
    ),
    pattern=re.compile(
        r"Timed out after \d{1,9} seconds waiting for clients\. (?P<come>\d{1,6})/(?P<all>\d{1,6}) clients joined"
        r"|wait timeout after \d{1,12} ?ms, keys:"
    ),
    source="PyTorch 2, torch/csrc/distributed/c10d/TCPStore.cpp",
    cause="A worker was not started, ended before it joined, or was told another address or port.",
    fix=(
        "Read the other nodes' logs: an error there comes first. With none, see that they were started at all, "
        "with the same master address, port and number of nodes."
    ),
    explain=_told,
)
