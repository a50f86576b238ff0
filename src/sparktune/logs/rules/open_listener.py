"""A server that listens on every interface."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule, setting
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView

_ALL = frozenset({"0.0.0.0", "::"})  # noqa: S104 - looked for, not bound


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        host = setting(log, "host")
        if host is not None and host.value in _ALL:
            yield at(
                log,
                host.origin.line or None,
                Severity.INFO,
                f"it listens on {host.value}; the log does not tell whether its container has the host's network",
                "with the host's network everybody who reaches the node reaches the engine: bind the address that "
                "clients use, or put a firewall before it",
            )


RULE = log_rule(
    "open-listener",
    title="The server listens on every interface",
    why="With the network of the host that is every network of the node.",
    source="Docker, networking with the host driver; vLLM, security guide",
    judge=_judge,
)
