"""Engine, drift and findings in a line of JSON: what is not known is null and has a reason, never a 0 or an old answer.

A script that reads "no drift" where nobody looked leaves a cluster as it is.
"""

from dataclasses import replace
from typing import Any

import pytest
from tests.support import watched
from tests.support.schemas import promised

from sparktune.bench.engine_look import EngineLook
from sparktune.model.drift import DriftStatus
from sparktune.report.watch import Answered, WatchedEngine, watch_json
from sparktune.report.watch.state import WatchState, updated

_NODE = watched.node("spark1")
_LOOK = watched.ENGINE.look or EngineLook(running=None, waiting=None, kv_use=None)
_FULL = watched.state_of(*watched.news(_NODE))


def _line(state: WatchState, now_s: float = watched.NOW_S) -> dict[str, Any]:
    return promised("watch", watch_json(_NODE, state, now_s))


def test_all_that_is_known_is_in_the_line_of_each_node() -> None:
    line = _line(_FULL)

    assert line["engine"] == {
        "service": "chat", "engine": "vllm 0.33.0", "model": "some/model-30b", "running": 6, "waiting": 2,
        "kv_use_ratio": 0.613, "output_tokens_per_s": 148.3, "prompt_tokens_per_s": 2210.0, "ttft_mean_s": 0.412,
        "first_tokens": 9, "accepted_share": 0.71, "accepted_length": 2.42, "preemptions": 0, "window_s": 15.2,
        "restarted": False, "why": "",
    }  # fmt: skip
    drift = line["drift"]
    assert drift["verdict"].startswith("1 of 2 settings has drifted: max_num_seqs on spark1")
    assert drift["differs"] is True
    assert drift["drifted"] == [
        {"key": "max_num_seqs", "setting": "max_num_seqs", "node": "spark1", "status": "NOT LIVE", "also": []}
    ]
    assert (drift["age_s"], line["doctor"]["age_s"]) == (185.0, 187.0)
    assert [one["rule"] for one in line["doctor"]["findings"]] == ["gid-index-empty", "mtu-not-persistent", "swap-on"]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (WatchState(), "its first answer is awaited"),
        (WatchState(why_no_engine="x", why_no_drift="x", why_no_doctor="x"), "x"),
    ],
    ids=["nothing heard yet", "nobody asks"],
)
def test_nothing_is_null_with_its_reason(state: WatchState, why: str) -> None:
    line = _line(state)

    for name in ("engine", "drift", "doctor"):
        others = {value for key, value in line[name].items() if key != "why"}
        assert others == {None}
        assert line[name]["why"] == why


@pytest.mark.parametrize(
    ("engine", "why"),
    [
        (WatchedEngine(service="chat", untold="no answer: refused"), "no answer: refused"),
        (WatchedEngine(service="chat", engine="vllm 1", model="m"), "its first answer is awaited"),
        (
            replace(watched.ENGINE, look=EngineLook(running=1.0, waiting=0.0, kv_use=0.5)),
            "rates are not known before the second look",
        ),
        (
            replace(watched.ENGINE, look=replace(_LOOK, ttft_s=None, drafts=None)),
            "ttft_mean_s: the server does not tell, or there was nothing to count in the last 15 s",
        ),
    ],
    ids=["gone", "silent", "first look", "idle"],
)
def test_an_engine_that_tells_little(engine: WatchedEngine, why: str) -> None:
    told = _line(replace(_FULL, engine=engine))["engine"]

    assert told["why"] == why
    assert told["ttft_mean_s"] is None


def test_an_answer_that_failed_leaves_the_one_before_with_its_age_and_says_so() -> None:
    late = replace(watched.DRIFT, why="spark2 does not answer")

    told = _line(replace(_FULL, drift=late), watched.NOW_S + 600)["drift"]

    assert (told["differs"], told["age_s"], told["why"]) == (True, 785.0, "spark2 does not answer")


def test_what_could_not_be_read_is_not_said_to_be_equal() -> None:
    unread = tuple(row for row in watched.ROWS if row.status is not DriftStatus.NOT_LIVE)

    told = _line(replace(_FULL, drift=replace(watched.DRIFT, items=unread)))["drift"]

    assert (told["differs"], told["drifted"], told["why"]) == (None, [], "something could not be read")


def test_nothing_that_differs_is_false() -> None:
    well = tuple(row for row in watched.ROWS if row.status is DriftStatus.OK)

    told = _line(replace(_FULL, drift=replace(watched.DRIFT, items=well)))["drift"]

    assert (told["differs"], told["drifted"], told["why"]) == (False, [], "")


def test_asking_for_the_first_time_is_no_answer() -> None:
    state = updated(WatchState(), watched.news()[0])

    told = _line(replace(state, drift=Answered(every_s=600.0, asking=True)))["drift"]

    assert (told["verdict"], told["age_s"], told["why"]) == (None, None, "its first answer is awaited")
