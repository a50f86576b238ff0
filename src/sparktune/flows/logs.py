"""``logs``: read logs from files, folders or nodes, put their clocks side by side, and judge them together."""

__all__ = ["LogsAnswer", "judge_logs", "read_logs"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparktune.errors import ExitCode, UsageError
from sparktune.host.service.containers import ServiceContainer
from sparktune.host.service.facts import ServiceFacts
from sparktune.host.service.state import judge, parts_of
from sparktune.io.log_files import STDIN, read_log_file, read_rotated
from sparktune.io.log_folders import containers_beside, is_folder, logs_in, real_name, trend_beside
from sparktune.logs.clocks import clocks_ahead
from sparktune.logs.judge import log_report
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.finding import Severity
from sparktune.model.log import LogReport, LogView, ReadLog
from sparktune.report.logs.words import state_words
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsAnswer:
    """``missing`` says which part could not be read; ``notes`` what is known beside the logs."""

    report: LogReport
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """DIFFERENCES for a failure or a finding of an error; FAILED where a part was not read."""
        errors = any(one.severity is Severity.ERROR for one in self.report.findings)
        if self.report.first is not None or errors:
            return ExitCode.DIFFERENCES
        unread = self.missing or any(log.unreadable for log in self.report.view.logs)
        return ExitCode.FAILED if unread else ExitCode.DONE


def read_logs(
    names: Sequence[tuple[str, str]],
    ahead_s: Mapping[str, Seconds],
    tell: Callable[[str], None],
    *,
    rotated: bool = False,
) -> LogsAnswer:
    """Read logs by node ("" where nobody says) and path, folders too. Raises UsageError when none can be read."""
    logs: list[ReadLog] = []
    missing: list[str] = []
    trend: list[str] = []
    notes: list[str] = []
    hint = ""
    whose: dict[str, str] = {}
    for node, name in names:
        if is_folder(name):
            trend += trend_beside(Path(name))
            notes += _state(containers_beside(Path(name)))
        for one in logs_in(name):
            if not _is_new(one, node, whose):
                continue
            tell(one)
            try:
                logs.append((read_rotated if rotated and one != STDIN else read_log_file)(one, node))
            except UsageError as error:
                missing.append(str(error))
                hint = hint or error.hint
    if not logs:
        raise UsageError("; ".join(missing), hint=hint)
    return judge_logs(logs, ahead_s, tuple(missing), tuple(notes), tuple(trend))


def _is_new(name: str, node: str, whose: dict[str, str]) -> bool:
    """Whether a log was not named before. Raises UsageError for one that is named for two nodes."""
    real = real_name(name)
    before = whose.get(real)
    if before is None:
        whose[real] = node
        return True
    if before != node:
        message = f"{name} is named for {before or 'no node'} and for {node or 'no node'}"
        raise UsageError(message, hint="name each log once, for the node that wrote it")
    return False


def judge_logs(
    logs: Sequence[ReadLog],
    ahead_s: Mapping[str, Seconds],
    missing: tuple[str, ...] = (),
    notes: Sequence[str] = (),
    trend: tuple[str, ...] = (),
) -> LogsAnswer:
    """Judge what was read. Raises UsageError for a clock of a node that has no log here."""
    nodes = {log.node for log in logs}
    for node in ahead_s:
        if node not in nodes:
            named = ", ".join(sorted(filter(None, nodes))) or "none: name them as NODE=FILE"
            message = f"--ahead {node}: no log of a node of this name is here"
            raise UsageError(message, hint=f"nodes of the logs: {named}")
    view = LogView(logs=tuple(logs), ahead_s=clocks_ahead(logs, ahead_s))
    return LogsAnswer(report=log_report(view, trend), missing=missing, notes=tuple(notes))


def _state(containers: Sequence[ServiceContainer]) -> tuple[str, ...]:
    """Say in which state ranks are whose ``docker ps`` lies beside their logs."""
    if not containers:
        return ()
    services = [ServiceProcess(node="") for _ in containers]
    facts = [ServiceFacts(node="", containers=(one,)) for one in containers]
    return state_words(judge(parts_of(services, facts), 0.0))
