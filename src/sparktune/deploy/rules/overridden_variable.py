"""Variables that something else sets, whatever the file says."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.image_facts import image_facts
from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import Fix, LintView, Part

_CUBIN = "FLASHINFER_CUBIN_DIR"


def _judge(part: Part, view: LintView) -> Iterator[Found]:
    home = part.environment.get("HF_HOME")
    if part.document.format == "recipe" and home is not None:
        yield at(
            home,
            Severity.WARNING,
            f"HF_HOME={home.value} does not count: sparkrun sets it to the cache that it mounts",
            "take it out; another cache is a setting of the cluster (cache_dir)",
            fix=Fix(file=part.document.name, part=home.part, kind="env", name="HF_HOME", value=None)
            if home.origin.place == part.document.name
            else None,
        )
    cubin, package = part.environment.get(_CUBIN), image_facts(view, part.image).has_cubin_package
    if cubin is not None and package is not False:
        certain = "the image has" if package else "where the image has"
        yield at(
            cubin,
            Severity.WARNING if package else Severity.INFO,
            f"{_CUBIN}={cubin.value}: {certain} the package flashinfer-cubin, its folder wins",
            "take it out",
        )


RULE = part_rule(
    "overridden-variable",
    title="a variable that does not count",
    why="The value in the file is not the one that runs.",
    source="https://github.com/styles01/sparkrun-recipes/issues/4; sparkrun, overridden-cache-env; "
    "https://github.com/flashinfer-ai/flashinfer/issues/2976",
    judge=_judge,
)
