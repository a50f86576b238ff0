"""What feeds the screen: an engine that comes and goes, a node that is tried again, questions that share facts."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted import Reply, json_reply, models, scripted

from sparktune.cli._watch_feeds import WatchArguments, feeds_of
from sparktune.errors import UsageError
from sparktune.flows.drift import DriftWish
from sparktune.flows.host import look as host_look
from sparktune.flows.look import Look
from sparktune.flows.watch.asked import Questions
from sparktune.flows.watch.engine import watch_engine
from sparktune.flows.watch.run import watch
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.service import DriftTargets
from sparktune.io.lab import write_lab
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.drift import ServicePlace
from sparktune.report.watch import WatchedEngine, WatchedNode
from sparktune.report.watch.state import News


def _metrics(tokens: int) -> Reply:
    text = f"""vllm:num_requests_running 2
vllm:num_requests_waiting 1
vllm:generation_tokens_total {tokens}
vllm:time_to_first_token_seconds_count {tokens}
vllm:time_to_first_token_seconds_sum {tokens / 2}
"""
    return Reply(body=text.encode(), content_type="text/plain")


async def _seen_of(url: str, wanted: int, *, again_s: float = 3600.0) -> list[WatchedEngine]:
    """Watch an engine until so many looks were shown, or its end."""
    seen: list[WatchedEngine] = []
    enough = asyncio.Event()

    def show(one: WatchedEngine) -> None:
        seen.append(one)
        if len(seen) >= wanted:
            enough.set()

    task = asyncio.create_task(watch_engine("chat", url, None, show, interval_s=0.0, again_s=again_s))
    ended = asyncio.create_task(enough.wait())
    await asyncio.wait({task, ended}, return_when=asyncio.FIRST_COMPLETED)
    await _ended(task, ended)
    return seen


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    """Cancel, and wait until all that they had open is closed; an error of theirs is the test's."""
    for one in tasks:
        one.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


async def test_an_engine_by_deltas_of_its_metrics() -> None:
    routes = {
        "/v1/models": models("m", owned_by="vllm"),
        "/version": json_reply({"version": "0.33.0"}),
        "/metrics": [_metrics(0), _metrics(10), _metrics(30)],  # the first tells which engine it is
    }
    async with scripted(routes) as script:
        first, second, *_ = await _seen_of(script.url, 2)

    assert (first.service, first.engine, first.model) == ("chat", "vllm 0.33.0", "m")
    assert first.look is not None
    assert (first.look.running, first.look.waiting, first.look.output_tok_s) == (2.0, 1.0, None)
    assert second.look is not None
    assert (second.look.first_tokens, second.look.ttft_s) == (20.0, 0.5)
    assert (second.look.output_tok_s or 0) > 0


async def test_a_restart_is_told() -> None:
    routes = {
        "/v1/models": models("m", owned_by="vllm"),
        "/metrics": [_metrics(0), _metrics(50), _metrics(5)],
    }
    async with scripted(routes) as script:
        _, second, *_ = await _seen_of(script.url, 2)

    assert second.look is not None
    assert second.look.restarted


async def test_a_server_without_metrics_is_named_and_left_alone() -> None:
    async with scripted({"/v1/models": models("m")}) as script:
        (only,) = await _seen_of(script.url, 99)
        asked = len(script.requests)

    assert only.look is None
    assert "its numbers are unknown" in only.untold
    assert asked < 20


async def test_a_server_that_is_gone_is_tried_again() -> None:
    seen = await _seen_of("http://127.0.0.1:9", 2, again_s=0.0)

    assert all(one.untold.startswith("no answer: ") for one in seen)


async def test_metrics_that_stop_are_said_to_have_stopped() -> None:
    broken = Reply(status=500)
    routes = {"/v1/models": models("m", owned_by="vllm"), "/metrics": [_metrics(0), _metrics(1), broken]}
    async with scripted(routes) as script:
        _, second, *_ = await _seen_of(script.url, 2)

    assert second.untold == "its metrics do not answer any more; it is tried again"


async def test_a_node_without_an_answer_is_tried_again_while_others_go_on(tmp_path: Path) -> None:
    first, _ = write_lab(tmp_path / "lab")
    seen: list[WatchedNode] = []
    enough = asyncio.Event()

    def show(node: WatchedNode) -> None:
        seen.append(node)
        # While it waits to try again: a task that is cancelled as it starts a child leaves that to the collector.
        if node.failure and sum(bool(one.failure) for one in seen) >= 2 and any(one.frame for one in seen):
            enough.set()

    targets = (NodeTarget(name="lost", host="nowhere.invalid"), NodeTarget(name="spark1", root=first))
    task = asyncio.create_task(watch(targets, show, interval_s=0.2, again_s=0.3))
    await enough.wait()
    await _ended(task)

    assert {one.name for one in seen if one.failure} == {"lost"}
    assert {one.name for one in seen if one.frame} == {"spark1"}


async def test_drift_takes_the_facts_that_doctor_has_just_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading everything of a node twice within a second would be the larger part of what watching costs it."""
    first, _ = write_lab(tmp_path / "lab")
    target = NodeTarget(name="spark1", root=first)
    place = ServicePlace(name="x", launcher="attach", where=())
    wish = DriftWish(place=place, targets=DriftTargets(nodes={"spark1": target}), nodes=(target,))
    asked: list[str] = []
    real = host_look.see

    async def spy(node: ReadableNode) -> object:
        asked.append(node.target.name)
        return await real(node)

    monkeypatch.setattr(host_look, "see", spy)
    questions = Questions((target,), wish)
    async with Look() as look:
        findings, silent = await questions.doctor(look)
        rows, _ = await questions.drift(look)

    assert {one.rule for one in findings} >= {"gid-index-empty"}
    assert silent == ""
    assert rows
    assert asked == ["spark1"]


async def test_all_news_of_a_captured_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of a server or a service that nobody named, and the reason is told."""
    monkeypatch.chdir(tmp_path)
    first, _ = write_lab(tmp_path / "lab")
    feeds = feeds_of(WatchArguments(roots=(first,), interval_s=0.2, count=1))
    news: list[News] = []

    answered = await feeds.run(news.append)

    begin = feeds.begin()
    assert answered
    assert [one.node.name for one in begin.nodes] == ["spark1"]
    assert "captured trees" in begin.why_no_engine
    assert "captured trees" in begin.why_no_drift
    assert any(one.node is not None and one.node.frame is not None for one in news)
    assert any(one.doctor is not None for one in news)
    assert not any(one.drift or one.engine for one in news)


def test_what_is_not_configured_is_a_reason_and_not_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    feeds = feeds_of(WatchArguments(nodes="local"))

    assert (feeds.endpoint, feeds.wish) == (None, None)
    assert "no sparktune.yaml is here or above" in feeds.why_no_engine
    assert "no service is named" in feeds.why_no_drift


def test_the_service_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "nodes: [local]\nservices: {chat: {endpoint: 'http://127.0.0.1:9/v1'}}\n"
    (tmp_path / "sparktune.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    feeds, never = feeds_of(WatchArguments()), feeds_of(WatchArguments(ask_every="never"))

    assert feeds.endpoint is not None
    assert (feeds.endpoint.service, feeds.endpoint.url) == ("chat", "http://127.0.0.1:9/v1")
    assert (feeds.wish is not None, feeds.ask_every_s) == (True, 600.0)
    assert (never.wish, never.ask_every_s, never.why_no_drift) == (None, None, "switched off by --ask-every never")


@pytest.mark.parametrize("arguments", [{"ask_every": "soon"}, {"url": "no address at all"}, {"service": "nope"}])
def test_flags_that_cannot_be_understood(
    arguments: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        feeds_of(WatchArguments(nodes="local", **arguments))  # type: ignore[arg-type] # names of its fields
