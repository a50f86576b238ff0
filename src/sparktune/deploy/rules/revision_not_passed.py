"""A revision of the model that is downloaded, and not asked for by the server."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    pinned = part.keys.get("model_revision")
    if part.document.format != "recipe" or pinned is None or not pinned.value or part.command is None:
        return
    model = next((str(part.settings[key].value) for key in ("model", "model_path") if key in part.settings), "")
    if part.engine not in {"vllm", "sglang"} or "revision" in part.settings or model.startswith("/"):
        return
    yield at(
        pinned,
        Severity.WARNING,
        f"model_revision is {str(pinned.value)[:12]}, and the command has no --revision: the server may load the tip",
        "add --revision {model_revision} to the command (sparkrun 0.4 fills it in)",
    )


RULE = part_rule(
    "revision-not-passed",
    title="a pinned revision that the server is not told",
    why="What is downloaded and what is loaded are two revisions as soon as the model's repository changes.",
    source="https://github.com/styles01/sparkrun-recipes/issues/4; sparkrun 0.4.2 warns of it, too",
    judge=_judge,
)
