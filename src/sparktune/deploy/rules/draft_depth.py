"""A number of draft tokens that the drafter of a version cannot use, or that was seen to cost more than it brings."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule, version
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_KEY = "speculative_config.num_speculative_tokens"
_DSPARK_BLOCK = 5
_REFUSES = (0, 26)
_CLIFF = 8


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    setting = part.settings.get(_KEY)
    if setting is None or isinstance(setting.value, bool) or not isinstance(setting.value, int):
        return
    depth, known = setting.value, version(part)
    method = part.settings.get("speculative_config.method")
    dspark = method is not None and method.value == "dspark"
    if depth < 1:
        yield at(
            setting,
            Severity.ERROR,
            f"num_speculative_tokens is {depth}: there is nothing to draft",
            "leave the speculative config out to draft nothing, or give at least 1",
        )
    elif dspark and depth < _DSPARK_BLOCK and known is not None:
        refuses = known >= _REFUSES
        what = "does not start with" if refuses else "cuts its blocks to"
        yield at(
            setting,
            Severity.ERROR if refuses else Severity.WARNING,
            f"vLLM {known[0]}.{known[1]} {what} {depth} draft tokens: a block of dspark has {_DSPARK_BLOCK}",
            f"give {_DSPARK_BLOCK}, or measure both with sparktune ab: what is best depends on image and workload",
        )
    elif depth >= _CLIFF:
        yield at(
            setting,
            Severity.INFO,
            f"{depth} draft tokens: in a report the speed peaked at 7 and fell off at 8",
            "measure neighbouring depths one by one with sparktune ab; the graphs' largest size follows the depth",
        )


RULE = part_rule(
    "draft-depth",
    title="a depth of drafts that does not fit",
    why="Each further token is accepted less often and costs the same; some drafters take only some depths, and the "
    "size of a decode step, which graphs must hold, is 1 + depth per request.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark CHANGELOG and issue 84; "
    "https://github.com/Blackwellboy/model-serving-minefield trap 11",
    judge=_judge,
)
