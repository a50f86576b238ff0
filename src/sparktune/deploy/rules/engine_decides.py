"""Options that an engine takes, and may resolve to something else at start."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_KEYS = {
    "compilation_config.pass_config.fuse_gemm_comms": "off again where sequence parallelism is off, as it is for a "
    "small hidden size",
    "compilation_config.pass_config.enable_sp": "off again where the hidden size is too small for the heuristic",
}


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    for key, why in _KEYS.items():
        setting = part.settings.get(key)
        if setting is not None and setting.value is True:
            yield at(
                setting,
                Severity.WARNING,
                f"{key} is taken, and may be {why}",
                "read the resolved config in the boot log (Initializing a V1 LLM engine ... with config) before you "
                "compare anything; do not force it with sp_min_token_num on several nodes, which was seen to crash",
            )


RULE = part_rule(
    "engine-decides",
    title="an option that may not be live",
    why="The log echoes what was asked for, and the engine runs with something else: an A/B of it compares a service "
    "with itself.",
    source="https://github.com/Blackwellboy/model-serving-minefield trap 117; vLLM, config/vllm.py",
    judge=_judge,
)
