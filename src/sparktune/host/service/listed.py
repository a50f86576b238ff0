"""Ranks of a service from what ``docker ps -a`` printed, as people paste it: no times. Pure.

Source: docs.docker.com, docker ps (STATUS: ``Up 6 days``, ``Exited (0) 2 hours ago``, ``Restarting (1) 5
seconds ago``).
"""

__all__ = ["listed_containers"]

import re
from typing import Final

from sparktune.host.service.containers import ServiceContainer

_STATUS: Final = re.compile(r"(?P<word>Up|Exited|Restarting|Created|Dead|Paused|Removal)\b(?: \((?P<code>\d{1,3})\))?")
_WORDS: Final = {"Up": "running", "Removal": "removing"}


def listed_containers(table: str) -> tuple[ServiceContainer, ...]:
    """Return the containers of a table with the columns ID, STATUS and NAMES; nothing for another text."""
    lines = table.expandtabs().splitlines()
    head = next(
        (line for line in lines if line.startswith("CONTAINER ID") and "STATUS" in line and "NAMES" in line), ""
    )
    if not head:
        return ()
    starts = {name: head.index(name) for name in ("STATUS", "NAMES")}
    found: list[ServiceContainer] = []
    for line in lines[lines.index(head) + 1 :]:
        status, name = _STATUS.match(line[starts["STATUS"] :]), line[starts["NAMES"] :].split()
        if status is None or not name:
            continue
        word = _WORDS.get(status["word"], status["word"].lower())
        code = int(status["code"]) if status["code"] and word != "running" else None
        found.append(ServiceContainer(id=line.split()[0], name=name[0], status=word, exit_code=code))
    return tuple(found)
