"""A length of context that the scaling of positions does not reach."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, number, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_SCALING = ("hf_overrides.rope_scaling", "hf_overrides.rope_parameters", "rope_scaling")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    if part.engine == "llamacpp":
        length, original = number(part, "ctx_size"), number(part, "yarn_orig_ctx")
        factor, key = number(part, "rope_scale"), "ctx_size"
        slots = number(part, "parallel")
        length = length / slots if length is not None and slots else length
    else:
        prefix = next((one for one in _SCALING if f"{one}.factor" in part.settings), "")
        length, key = number(part, "max_model_len"), "max_model_len"
        factor = number(part, f"{prefix}.factor")
        original = number(part, f"{prefix}.original_max_position_embeddings")
    if length is None or factor is None or original is None or length <= 0:
        return
    reach = int(factor * original)
    if length > reach:
        yield at(
            part.settings[key],
            Severity.ERROR,
            f"{key} is {int(length)} tokens, and the positions reach {reach}: {factor:g} x {int(original)}",
            f"lower the length to {reach}, or raise the factor",
        )
    elif length <= original:
        yield at(
            part.settings[key],
            Severity.INFO,
            f"{key} is {int(length)}, which the model has without scaling ({int(original)}): a static factor of "
            f"{factor:g} changes short prompts, too",
            "leave the scaling out as long as no prompt is longer",
        )


RULE = part_rule(
    "yarn-length",
    title="a length and a scaling of positions that do not fit",
    why="Beyond the reach of the scaling the model was never asked anything; within its own length a static scaling "
    "costs quality for nothing.",
    source="https://arxiv.org/abs/2309.00071; model cards of Qwen (static YaRN and short texts); vLLM --hf-overrides",
    judge=_judge,
)
