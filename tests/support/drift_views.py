"""What drift sees, written in YAML: parts with the answers of their nodes, the nodes' facts, what was applied there."""

__all__ = ["drift_view"]

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from tests.support.node_cases import cluster_of
from tests.support.trials import refuse_unknown

from sparktune.drift.aspects import ROUNDS
from sparktune.model.drift import DriftAspect, DriftView, PartSeen, ServicePlace
from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import (
    CommandOutput,
    FileStat,
    Read,
    ReadCommand,
    ReadFile,
    ReadFiles,
    Readings,
    ReadLinks,
    ReadNames,
    ReadStats,
)
from sparktune.model.setting import Layer, Origin, Setting

_PART = frozenset(
    {"node", "name", "where", "engine", "files", "file", "live", "unread", "pid", "pids", "start_s", "container"}
    | {"image", "image_name", "answers"}
)
_ANSWERS = frozenset({"files", "links", "stats", "commands", "denied", "silent"})
_VIEW = frozenset({"name", "why", "expect", "launcher", "pins", "model", "earned", "parts", "nodes", "hosts"})
_S = 1_000_000_000


def drift_view(case: Mapping[str, Any], aspect: DriftAspect) -> DriftView:
    """Return what a case describes; nodes answer what the aspect asks, and again what it then asks."""
    refuse_unknown(case, _VIEW)
    parts = [_part(one) for one in case.get("parts", ())]
    for _round in range(ROUNDS):
        parts = [
            replace(part, readings=_answer(one, aspect.reads(part)))
            for part, one in zip(parts, case.get("parts", ()), strict=True)
        ]
    return DriftView(
        service=ServicePlace(
            name="svc",
            launcher=case.get("launcher", "compose"),
            where=tuple(part.where for part in parts),
            pins=case.get("pins", {}),
            model=case.get("model", ""),
        ),
        parts=tuple(parts),
        nodes=cluster_of({"nodes": case["nodes"]}).nodes if "nodes" in case else (),
        hosts=tuple(_host(one) for one in case.get("hosts", ())),
        earned=case.get("earned", ()),
        earned_file="earned.yaml",
    )


def _part(one: Mapping[str, Any]) -> PartSeen:
    refuse_unknown(one, _PART)
    given = {key: one[key] for key in ("engine", "unread", "pid", "container", "image", "image_name") if key in one}
    return PartSeen(
        node=one["node"],
        name=one.get("name", "head"),
        where=one.get("where", {}),
        files=tuple(one.get("files", ())),
        file=_settings(one.get("file", {}), Layer.FILE),
        live=_settings(one.get("live", {}), Layer.LIVE),
        pids=tuple(one.get("pids", [one["pid"]] if "pid" in one else [])),
        start_ns=int(one.get("start_s", 0) * _S),
        **given,
    )


def _settings(values: Mapping[str, Any], layer: Layer) -> dict[str, Setting]:
    origin = Origin(layer=layer, place="f" if layer is Layer.FILE else "pid 1")
    return {
        key: Setting(key=key, value=tuple(value) if isinstance(value, list) else value, written=key, origin=origin)
        for key, value in values.items()
    }


def _answer(one: Mapping[str, Any], reads: Iterable[Read]) -> Readings:
    answers = one.get("answers", {})
    refuse_unknown(answers, _ANSWERS)
    if answers.get("silent"):  # the node did not answer, so that nothing was asked there
        return Readings()
    texts, links, stats = (answers.get(kind, {}) for kind in ("files", "links", "stats"))
    found: dict[str, dict[Any, Any]] = {
        kind: {} for kind in ("files", "matches", "links", "names", "stats", "commands")
    }
    for read in reads:
        match read:
            case ReadFile(path=path):
                found["files"][path] = present(texts[path]) if path in texts else absent()
            case ReadFiles(pattern=pattern):
                found["matches"][pattern] = {path: present(text) for path, text in _fitting(texts, pattern)}
            case ReadLinks(pattern=pattern):
                found["links"][pattern] = dict(_fitting(links, pattern))
            case ReadNames(pattern=pattern):
                found["names"][pattern] = tuple(path for path, _ in _fitting({**texts, **links, **stats}, pattern))
            case ReadStats(pattern=pattern):
                found["stats"][pattern] = {path: _stat(told) for path, told in _fitting(stats, pattern)}
            case ReadCommand(argv=argv):
                found["commands"][argv] = _output(answers.get("commands", {}).get(" ".join(argv)))
    denied = {read.pattern: answers["denied"] for read in reads if "denied" in answers and hasattr(read, "pattern")}
    return Readings(**found, unread=denied)


def _fitting(paths: Mapping[str, Any], pattern: str) -> list[tuple[str, Any]]:
    parts = pattern.split("/")
    return [
        (path, told)
        for path, told in sorted(paths.items())
        if path.count("/") == len(parts) - 1 and all(map(fnmatchcase, path.split("/"), parts))
    ]


def _stat(told: list[float]) -> FileStat:
    return FileStat(size=int(told[0]), mtime_ns=int(told[1] * _S))


def _output(told: Any) -> Observed[CommandOutput]:  # noqa: ANN401 - what a case has
    if told is None:
        return absent()
    if isinstance(told, str):
        return present(CommandOutput(stdout=told, stderr="", code=0))
    if "denied" in told:
        return unreadable(told["denied"])
    return present(CommandOutput(stdout=told.get("stdout", ""), stderr=told.get("stderr", ""), code=told["code"]))


def _host(one: Mapping[str, Any]) -> NodeReport:
    checks = tuple(
        HostCheck(
            change=check["change"],
            target=check.get("target", "it"),
            wanted=check.get("wanted", ""),
            effective=check.get("effective", ""),
            status=CheckStatus(check["status"]),
            why=check.get("why", ""),
        )
        for check in one.get("checks", ())
    )
    return NodeReport(
        node=one["node"],
        state=NodeState(one.get("state", "applied")),
        failure=one.get("failure", ""),
        checks=checks,
        notes=tuple(one.get("notes", ())),
    )
