"""Clocks are compared only where several moments agree: a guess would turn the order of failures around."""

from sparktune.logs.clocks import clocks_ahead
from sparktune.model.log import LogFact, LogLine, ReadLog


def _log(node: str, **times_s: float) -> ReadLog:
    facts = tuple(
        LogFact(key=key, value=1, line=LogLine(text=key, number=number, time_s=time_s))
        for number, (key, time_s) in enumerate(times_s.items(), start=1)
    )
    return ReadLog(file=f"{node}.log", node=node, facts=facts)


_FIRST = _log("a", nccl_version=100.0, kv_memory_gib=160.0, kv_pool_tokens=160.1, graph_s=200.0)


def test_the_median_of_moments_that_agree() -> None:
    other = _log("b", nccl_version=139.0, kv_memory_gib=200.0, kv_pool_tokens=200.1, graph_s=241.0)
    assert clocks_ahead([_FIRST, other]) == {"a": 0.0, "b": 40.0}


def test_moments_that_part_tell_nothing() -> None:
    assert clocks_ahead([_FIRST, _log("b", nccl_version=100.0, kv_memory_gib=200.0, graph_s=300.0)]) == {"a": 0.0}


def test_two_facts_of_one_moment_are_one_witness() -> None:
    assert clocks_ahead([_FIRST, _log("b", kv_memory_gib=200.0, kv_pool_tokens=200.1)]) == {"a": 0.0}


def test_what_is_told_counts_before_what_logs_show() -> None:
    other = _log("b", nccl_version=140.0, kv_memory_gib=200.0, graph_s=240.0)
    assert clocks_ahead([_FIRST, other], {"a": 2.0, "b": 5.0}) == {"a": 0.0, "b": 3.0}


def test_what_differs_at_every_start_is_no_barrier() -> None:
    one, other = _log("a", weights_gib=1.0, ready=50.0), _log("b", weights_gib=41.0, ready=90.0)
    assert clocks_ahead([one, other]) == {"a": 0.0}


def test_no_logs() -> None:
    assert clocks_ahead([]) == {}
