"""A kernel setting of a file that does not take effect: a later file overrules it, or the live value is another."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.sysctl import SysctlFacts, SysctlSetting
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_ADMIN = "/etc/"


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(SysctlFacts)
    for setting in facts.settings if facts is not None else ():
        yield from _overruled(setting)
        yield from _not_live(setting)


def _overruled(setting: SysctlSetting) -> Iterator[Found]:
    winner = setting.by_hand.value or setting.boot.value
    if winner is None:
        return
    # Files of the distribution are meant to be overruled; what an administrator wrote is not.
    for line in setting.lines:
        if line.path.startswith(_ADMIN) and line != winner and line.value.split() != winner.value.split():
            yield Found(
                severity=Severity.WARNING,
                evidence=f"{setting.key} = {line.value} is overruled by {winner.path}:{winner.line} ({winner.value})",
                hint="files apply in the order of their names, the last one wins, and Ubuntu's 99-sysctl.conf is "
                "/etc/sysctl.conf: keep one line, in one file",
                file=line.path,
                line=line.line,
            )


def _not_live(setting: SysctlSetting) -> Iterator[Found]:
    boot, live = setting.boot.value, setting.live.value
    if boot is None or live is None or not boot.path.startswith(_ADMIN) or boot.value.split() == live.split():
        return
    yield Found(
        severity=Severity.WARNING,
        evidence=f"{setting.key} is {live} now, but {boot.path}:{boot.line} sets {boot.value} at boot",
        hint="somebody changed it live, or the file was never applied; decide which value is meant",
        file=boot.path,
        line=boot.line,
    )


FINDING = node_rule(
    "sysctl-shadowed",
    title="A file's kernel setting is not in force",
    why="A profile that was applied once is thought to hold, while another file or another hand has the last word.",
    source="sysctl.d(5); sysctl(8), --system",
    judge=_judge,
)
