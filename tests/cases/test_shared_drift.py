"""Drift on captured material: what other people's logs and containers said, with the right answers written beside."""

import json
import shlex

from tests.support.log_texts import echoed_settings
from tests.support.shared import shared

from sparktune.deploy.settings.environment import env_setting
from sparktune.deploy.settings.grammars.vllm import GRAMMAR
from sparktune.deploy.settings.normal import normal_form
from sparktune.drift.aspects.settings import ASPECT
from sparktune.drift.live_layer import live_layer
from sparktune.model.document import Word
from sparktune.model.drift import DriftRow, DriftStatus, DriftView, PartSeen, ServicePlace
from sparktune.model.setting import Layer, Origin, Setting

_NAME = "DSPARK_MAX_INFLIGHT_PREFILLS"
_33 = "cases/33-drift-earned-2-file-1-live-1"
_21 = "cases/21-flag-accepted-then-resolved-away"


def _view(*parts: PartSeen, earned: str = "") -> DriftView:
    entries = [{"value": {"env": {_NAME: earned}}}] if earned else []
    return DriftView(service=ServicePlace(name="house", launcher="compose", where=()), parts=parts, earned=entries)


def _variables(name: str) -> dict[str, Setting]:
    inspected = json.loads(shared(f"{_33}/{name}").read_text())[0]["Config"]["Env"]
    origin = Origin(layer=Layer.LIVE, place=name)
    found = [env_setting(*one.split("=", 1), origin) for one in inspected]
    return {one.key: one for one in found}


def test_case_33_finds_the_file_the_head_and_nodes_that_differ() -> None:
    """Earned 2, the file 1, the head 1, the worker 2: two findings, and the worker was not started with the file."""
    file = _variables("docker_inspect_head.json")
    parts = [
        PartSeen(node=node, name=node, where={}, engine="vllm", file=file, asked=live, live=live, pid=7)
        for node, live in (("head", file), ("worker", _variables("docker_inspect_worker.json")))
    ]

    rows = {row.node: row for row in ASPECT.rows(_view(*parts, earned="2")) if row.key == f"env.{_NAME}"}

    assert (rows["head"].status, rows["head"].also) == (DriftStatus.FILE_DRIFT, (DriftStatus.NODES_DIFFER,))
    assert rows["worker"].status is DriftStatus.NOT_LIVE
    assert DriftStatus.NODES_DIFFER in rows["worker"].also
    assert "head has 1, worker 2" in rows["head"].why
    assert _NAME in rows["head"].hint


def test_case_21_asked_true_and_resolved_false_is_not_live() -> None:
    row = _of_21("boot.log", shared(f"{_21}/serve.txt").read_text(), "compilation_config.pass_config.fuse_gemm_comms")

    assert row.status is DriftStatus.NOT_LIVE
    assert (row.file and row.file.value, row.echoed and row.echoed.value, row.live and row.live.value) == (
        True,
        True,
        False,
    )
    assert "boot.log:3" in row.why


def test_case_21_a_flag_that_was_taken_out_is_still_on() -> None:
    """A tri-state: only its --no- form turns it off, and the log tells."""
    text = shared(f"{_21}/compose_without_async.txt").read_text().splitlines()[1].replace("...", "")
    row = _of_21("boot_async.log", text, "async_scheduling")

    assert row.live is not None
    assert row.live.value is True
    assert row.file is not None
    assert row.file.text == "not set"
    assert "--no-async-scheduling" in row.why


def _of_21(log: str, command: str, key: str) -> DriftRow:
    words = [Word(text=word, line=1) for word in shlex.split(command)]
    file, asked = (
        {one.key: one for one in normal_form(words, GRAMMAR, origin=Origin(layer=layer, place=place)).settings}
        for layer, place in ((Layer.FILE, "serve.txt"), (Layer.LIVE, "pid 7"))
    )
    echo = echoed_settings(shared(f"{_21}/{log}").read_text(), log)
    part = PartSeen(
        node="head",
        name="head",
        where={},
        engine="vllm",
        file=file,
        echoed={one.key: one for one in echo.asked},
        asked=asked,
        live=live_layer(asked, echo.resolved),
        pid=7,
    )
    return next(row for row in ASPECT.rows(_view(part)) if row.key == key)
