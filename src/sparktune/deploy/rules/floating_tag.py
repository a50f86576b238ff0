"""An image whose name says tomorrow something else."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_FLOATS = re.compile(r"(?:.*[-_.])?(?:latest|nightly|main|master|edge|dev|stable)(?:[-_.](?:aarch64|arm64|cu\d+))?")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    setting = part.keys.get("container") or part.keys.get("image")
    image = part.image
    if setting is None or not image or "@" in image or "{" in image or "$" in image or image.startswith("sha256:"):
        return
    tag = image.rpartition("/")[2].partition(":")[2]
    if tag and not _FLOATS.fullmatch(tag):
        return
    yield at(
        setting,
        Severity.WARNING,
        f"{image} has " + (f"the tag {tag}, which moves" if tag else "no tag, and so means latest"),
        "pin it: name@sha256:... (docker image inspect -f '{{index .RepoDigests 0}}' NAME tells what you run now)",
    )


RULE = part_rule(
    "floating-tag",
    title="an image without a fixed version",
    why="The next pull may bring another engine: results cannot be repeated, and nodes may differ.",
    source="https://github.com/Blackwellboy/model-serving-minefield trap 09; docker pull, by digest",
    judge=_judge,
)
