"""Logs that are short enough to be one text: what is fed line by line elsewhere, at once."""

__all__ = ["echoed_settings", "scan_text"]

from sparktune.deploy.settings.echoed import Echo, EchoReader
from sparktune.logs.scan import LogScan
from sparktune.model.log import ReadLog
from sparktune.units import Seconds


def scan_text(text: str, file: str, node: str = "", *, reference_s: Seconds | None = None) -> ReadLog:
    """Read all that a log tells."""
    scan = LogScan(file, node, reference_s=reference_s)
    scan.feed(text.encode("utf-8", "surrogatepass"))
    return scan.result()


def echoed_settings(text: str, place: str, *, node: str | None = None) -> Echo:
    """Read the settings that a log echoes."""
    reader = EchoReader(place, node=node)
    for number, line in enumerate(text.split("\n"), start=1):
        reader.feed(line, number)
    return reader.echo()
