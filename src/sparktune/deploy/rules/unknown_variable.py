"""Variables that no engine reads."""

__all__ = ["RULE"]

from collections.abc import Iterator
from difflib import get_close_matches

from sparktune.deploy.rules._shared import Found, at, part_rule, version
from sparktune.deploy.vllm_variables import VLLM_VARIABLES, VLLM_VARIABLES_OF
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_ANEMLL = "dspark-vllm-gx10"
_NO_OP = "VLLM_DSPARK_"
_LOG = "the boot log says 'Unknown vLLM environment variable detected' of what nobody reads"


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    if part.engine != "vllm":
        return
    known = version(part)
    for name, setting in part.environment.items():
        if not name.startswith("VLLM_") or name in VLLM_VARIABLES:
            continue
        if name.startswith(_NO_OP) and _ANEMLL in part.image:
            yield at(setting, Severity.WARNING, f"{name} does nothing in {part.image}", "take it out")
            continue
        near = get_close_matches(name, VLLM_VARIABLES, n=1, cutoff=0.8)
        meant = f"did you mean {near[0]}? " if near else ""
        certain = known == VLLM_VARIABLES_OF
        where = ".".join(map(str, VLLM_VARIABLES_OF))
        doubt = "" if certain else "; another version or a fork may read it"
        yield at(
            setting,
            Severity.WARNING if certain else Severity.INFO,
            f"{name} is no variable of vLLM {where}{doubt}",
            f"{meant}{_LOG}",
        )


RULE = part_rule(
    "unknown-variable",
    title="a variable that no engine reads",
    why="An unknown name is a line in the boot log and nothing else: what it should have set is not set, and an A/B of "
    "it compares a service with itself.",
    source="vLLM 0.33.0, envs.py; https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark docs/ENVS.md",
    judge=_judge,
)
