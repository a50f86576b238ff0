"""One folder of compiled code for several images."""

__all__ = ["RULE"]

from collections.abc import Iterator
from itertools import combinations

from sparktune.deploy.rules._shared import Found, at, lint_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_ROOTS = ("VLLM_CACHE_ROOT", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def _judge(view: LintView) -> Iterator[Found]:
    for first, second in combinations(view.parts, 2):
        if not first.image or not second.image or first.image == second.image:
            continue
        for name in _ROOTS:
            one, other = first.environment.get(name), second.environment.get(name)
            if one is None or other is None or not one.value or one.value != other.value:
                continue
            if _source(first, str(one.value)) != _source(second, str(other.value)):
                continue
            yield at(
                other,
                Severity.WARNING,
                f"{name}={other.value} is used by {first.image} and by {second.image}",
                "give each image a folder of its own, for instance with its tag in the name",
            )


def _source(part: Part, folder: str) -> str:
    """Return what is mounted there, "" for nothing."""
    for name, setting in part.keys.items():
        fields = str(setting.value or "").split(":")
        if name.startswith("volumes[") and len(fields) > 1 and f"{folder}/".startswith(f"{fields[1].rstrip('/')}/"):
            return fields[0]
    return "" if part.document.format == "compose" else "sparkrun"


RULE = lint_rule(
    "cache-root-image",
    title="one cache of compiled code for several images",
    why="The key of the compile cache lacks the source of the model: code that another image compiled is taken as it "
    "is, and may be wrong for this one.",
    source="https://github.com/vllm-project/vllm/issues/41871; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash cluster.env",
    judge=_judge,
)
