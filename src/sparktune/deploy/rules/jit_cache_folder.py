"""Folders of compiled kernels that their user cannot write, or that go with the container."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.image_facts import ImageFacts, image_facts
from sparktune.deploy.rules._shared import Found, at, key_text, mounts, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_FOLDERS = (
    "TRITON_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_EXTENSIONS_DIR",
    "VLLM_CACHE_ROOT",
    "VLLM_CACHE_DIR",
    "FLASHINFER_WORKSPACE_BASE",
    "TVM_FFI_CACHE_DIR",
    "TILELANG_CACHE_DIR",
    "XDG_CACHE_HOME",
)
_SPARKRUN_UID = "1000, as sparkrun starts it"


def _judge(part: Part, view: LintView) -> Iterator[Found]:
    container = part.document.format == "recipe" or bool(part.image) or "image" in part.keys
    if not container:
        return
    facts, folders = image_facts(view, part.image), mounts(part)
    for name in _FOLDERS:
        setting = part.environment.get(name)
        if setting is not None and isinstance(setting.value, str) and setting.value.startswith("/"):
            found = _fault(part, facts, setting.value, folders)
            if found is not None:
                yield at(setting, found[0], f"{name}={setting.value}: {found[1]}", _hint(part, name))
        elif setting is None and facts.env.get(name, "").startswith("/"):
            found = _fault(part, facts, facts.env[name], folders)
            if found is not None and found[0] is Severity.ERROR:
                yield _baked(part, f"{name} is not set, and the image sets it to {facts.env[name]}: {found[1]}", name)


def _fault(part: Part, facts: ImageFacts, folder: str, folders: tuple[str, ...]) -> tuple[Severity, str] | None:
    if any(f"{folder}/".startswith(f"{mount}/") for mount in folders):
        return None
    user = _user(part)
    closed = facts.closed_to_users(folder)
    if closed and user:
        owner, mode = facts.dirs[closed]
        return Severity.ERROR, f"{closed} is {owner} {mode} in the image, and the user is {user}"
    lost = "it is on no mount, so that what was compiled is gone with the container"
    return Severity.WARNING, lost + (f", and user {user} may not write there" if user else "")


def _user(part: Part) -> str:
    if part.document.format == "recipe":
        named = key_text(part, "executor_config.user")
        return _SPARKRUN_UID if named in {"", "$SHELL_USER"} else "" if named in {"root", "0"} else named
    named = key_text(part, "user")
    return "" if named.partition(":")[0] in {"", "root", "0"} else named


def _hint(part: Part, name: str) -> str:
    if part.document.format == "recipe":
        return (
            f"from 0.3 on sparkrun sets {name} to a mount of its own where the recipe does not; with an older one "
            "point it into a mount that the user can write, for instance /cache/huggingface/jitcache"
        )
    return f"mount a folder that the container's user can write, and point {name} into it; one folder per image"


def _baked(part: Part, evidence: str, name: str) -> Found:
    """Return what an image brings: with sparkrun it counts only before 0.3, which sets no such folder."""
    recipe = part.document.format == "recipe"
    image = part.keys.get("container") or part.keys.get("image")
    line = image.origin.line if image is not None else 0
    return Found(
        severity=Severity.WARNING if recipe else Severity.ERROR,
        evidence=evidence + (" (where sparkrun is older than 0.3)" if recipe else ""),
        hint=_hint(part, name),
        file=part.document.name,
        line=line,
    )


RULE = part_rule(
    "jit-cache-folder",
    title="a cache of compiled kernels that cannot be written, or does not last",
    why="A user who may not write there ends the worker with PermissionError at the first kernel; a folder in the "
    "container's own layer is empty after each recreation, and 10 to 30 minutes of compiling come again. "
    "All of them count: " + ", ".join(_FOLDERS) + ".",
    source="https://github.com/vllm-project/vllm/issues/28440; sparkrun 0.4.2, docker run; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/08",
    judge=_judge,
)
