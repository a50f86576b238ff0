"""Settings that the engine was asked for, and does not run with."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule, text_of
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView, ReadLog
from sparktune.model.setting import Setting

_OWN_RULE = ("max_cudagraph_capture_size", "cudagraph_capture_sizes")


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        live = {one.key: one for one in log.resolved}
        for asked in log.asked:
            found = live.get(asked.key)
            if found is not None and _differs(asked, found):
                yield at(
                    log,
                    found.origin.line or None,
                    Severity.WARNING,
                    f"{asked.key}: asked for {text_of(asked.value)} (line {asked.origin.line}), runs with "
                    f"{text_of(found.value)} (line {found.origin.line})",
                    "requested, not live: a comparison of this setting compared one configuration with itself. The "
                    "lines between say why; do not force it before that is understood",
                )
        yield from _tristate(log)


def _differs(asked: Setting, found: Setting) -> bool:
    """Texts are left out, as engines write many of them in another way."""
    if asked.key.rpartition(".")[2] in _OWN_RULE:
        return False
    if isinstance(asked.value, bool) or isinstance(found.value, bool):
        return isinstance(asked.value, bool) and isinstance(found.value, bool) and asked.value != found.value
    if not isinstance(asked.value, int | float) or not isinstance(found.value, int | float):
        return False
    return asked.value > 0 and asked.value != found.value


def _tristate(log: ReadLog) -> Iterator[Finding]:
    """Yield that what nobody asked for is on: to leave a flag out does not switch it off."""
    live = next((one for one in log.resolved if one.key == "async_scheduling"), None)
    if live is None or live.value is not True or any(one.key == "async_scheduling" for one in log.asked):
        return
    yield at(
        log,
        live.origin.line or None,
        Severity.INFO,
        "asynchronous scheduling is on, and no line here says that it was asked for",
        "leaving --async-scheduling out does not switch it off: --no-async-scheduling does",
    )


RULE = log_rule(
    "asked-not-live",
    title="A setting was asked for, and is not what runs",
    why="A flag that is accepted may be resolved away; whoever reads the command line is wrong about what runs.",
    source="vLLM, config/vllm.py; https://github.com/Blackwellboy/model-serving-minefield trap 117; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/15",
    judge=_judge,
)
