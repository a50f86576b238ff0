"""KV pools of several boots, and of the ranks of one."""

__all__ = ["RULE"]

from collections.abc import Iterator, Sequence

from sparktune.logs.rules._shared import at, log_rule, text_of, whose
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView, ReadLog
from sparktune.model.setting import Value

_APART = 0.05  # boots of one configuration were seen 4 % apart
_MOST = 6


def _judge(view: LogView) -> Iterator[Finding]:
    yield from _boots([log for log in view.logs if log.fact("kv_pool_tokens") is not None])
    for log in view.logs:
        yield from _ranks(log)


def _boots(logs: Sequence[ReadLog]) -> Iterator[Finding]:
    pools = [_value(log, "kv_pool_tokens") for log in logs]
    if len(set(pools)) < 2:  # noqa: PLR2004 - two that differ
        return
    found = "; ".join(_pool(log) for log in logs[:_MOST])
    differ, known = _differences(logs)
    named = ", ".join(differ) or "nothing that is told"
    unsure = "" if known else "; what they were asked for is not in every one of these logs"
    several = len(differ) > 1 or not known
    hint = "compare memory and full-length requests, not tokens alone, and two boots or more of each arm"
    if several:
        hint += "; where more than one setting differs, or that is not known, none of them is shown to be the cause"
    line = logs[0].fact("kv_pool_tokens")
    yield at(logs[0], line.line if line else None, Severity.INFO, f"{found}. They differ in {named}{unsure}", hint)


def _pool(log: ReadLog) -> str:
    words = f"{whose(log)}: {text_of(_value(log, 'kv_pool_tokens'))} tokens"
    held, length = _value(log, "kv_full_requests"), _value(log, "kv_length_tokens")
    if held is not None and length is not None:
        words += f", {held}x {text_of(length)}"
    memory = _value(log, "kv_memory_gib")
    return words if memory is None else f"{words}, {memory} GiB"


def _value(log: ReadLog, key: str) -> Value:
    fact = log.fact(key)
    return None if fact is None else fact.value


def _differences(logs: Sequence[ReadLog]) -> tuple[list[str], bool]:
    """Return the settings that differ among boots, and whether all of them tell what they were asked for."""
    known = all(log.asked for log in logs)
    asked = [{one.key: repr(one.value) for one in log.asked} for log in logs]
    keys = sorted({key for one in asked for key in one}) if known else []
    differ = [key for key in keys if len({one.get(key) for one in asked}) > 1]
    lengths = {_value(log, "kv_length_tokens") for log in logs}
    if len(lengths) > 1 and "max_model_len" not in differ:
        differ.append("max_model_len")
    return differ, known


def _ranks(log: ReadLog) -> Iterator[Finding]:
    of_rank = {fact.line.process: fact for fact in log.all_of("kv_memory_gib") if fact.line.process}
    sizes = {name: fact.value for name, fact in of_rank.items() if isinstance(fact.value, int | float)}
    if len(sizes) < 2:  # noqa: PLR2004 - two that differ
        return
    small, large = min(sizes, key=lambda name: sizes[name]), max(sizes, key=lambda name: sizes[name])
    if sizes[large] - sizes[small] <= _APART * sizes[large]:
        return
    yield at(
        log,
        of_rank[small].line,
        Severity.INFO,
        f"{small} has {sizes[small]} GiB for its cache, {large} has {sizes[large]} GiB: the smaller one sizes the pool",
        "look at what takes memory on that node",
    )


RULE = log_rule(
    "kv-pools",
    title="KV pools differ",
    why="The profiler's result varies from boot to boot, and depends on the length: one boot each shows no cause.",
    source="vLLM, v1/core/kv_cache_utils.py; https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/08 "
    "(2.28 to 2.38 million tokens of one configuration)",
    judge=_judge,
)
