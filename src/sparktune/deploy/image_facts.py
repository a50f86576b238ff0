"""What is known of images: variables that they set, their user, the owners of their folders, the engine's version.

Two sources: what the caller asked the image itself (``LintView.tools["images"]``: by name of the image, or "" for any),
and a short table of images of which people published what is in them.

Sources: https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark/pull/13 and
https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/4 (interfaces in an image); the
public recipe of aidendle94/sparkrun-vllm-ds4-gb10 on forums.developer.nvidia.com (interfaces and caches in it);
https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash (dspark-vllm-gx10:0.1.1 is a vLLM 0.25.2).
"""

__all__ = ["ImageFacts", "image_facts", "version_of_image"]

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sparktune.model.lint import LintView

_VERSION: Final = re.compile(r"v?(?P<major>0)\.(?P<minor>\d{1,3})(?:\.\d+)?(?:[.\-_+].*)?")
_STOCK: Final = ("vllm/vllm-openai", "nvcr.io/nvidia/vllm-upstream")
_KNOWN_VERSIONS: Final = {"dspark-vllm-gx10:0.1.1": (0, 25)}
_F1: Final = "enp1s0f1np1"
_KNOWN_VARIABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "aidendle94/sparkrun-vllm-ds4-gb10": {
        "NCCL_SOCKET_IFNAME": _F1,
        "GLOO_SOCKET_IFNAME": _F1,
        "TP_SOCKET_IFNAME": _F1,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """``dirs`` are owner (``root:root``) and mode (``0755``) by folder; ``asked``: it was the image that told."""

    env: Mapping[str, str] = field(default_factory=dict)
    dirs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    has_cubin_package: bool | None = None
    asked: bool = False

    def closed_to_users(self, folder: str) -> str:
        """Return the folder at or above this one that only root can write, "" where none is known."""
        known = [one for one in self.dirs if f"{folder.rstrip('/')}/".startswith(f"{one.rstrip('/')}/")]
        nearest = max(known, key=len, default="")
        owner, mode = self.dirs.get(nearest, ("", ""))
        others_write = mode[-1:].isdigit() and int(mode[-1]) & 2
        return nearest if owner.partition(":")[0] in {"root", "0"} and not others_write else ""


def image_facts(view: LintView, image: str) -> ImageFacts:
    """Return what is known of an image; empty where nothing is."""
    told = view.tools.get("images")
    asked = _mapping(told).get(image) or _mapping(told).get("")
    if asked is not None:
        return _of(_mapping(asked))
    name = image.partition("@")[0].rpartition(":")[0] or image
    return ImageFacts(env=_KNOWN_VARIABLES.get(name, {}))


def version_of_image(image: str) -> tuple[int, int] | None:
    """Return the version of vLLM that an image has, (0, 25), where its name tells."""
    bare = image.partition("@")[0]
    for ending, version in _KNOWN_VERSIONS.items():
        if bare.endswith(ending):
            return version
    name, _, tag = bare.rpartition(":")
    found = _VERSION.fullmatch(tag)
    return (0, int(found["minor"])) if found and name.endswith(_STOCK) else None


def _of(told: Mapping[str, object]) -> ImageFacts:
    dirs = {
        path: (str(_mapping(one).get("owner", "")), str(_mapping(one).get("mode", "")))
        for path, one in _mapping(told.get("dirs")).items()
    }
    package = told.get("has_flashinfer_cubin_package")
    return ImageFacts(
        env={name: str(value) for name, value in _mapping(told.get("env")).items()},
        dirs=dirs,
        has_cubin_package=package if isinstance(package, bool) else None,
        asked=True,
    )


def _mapping(value: object) -> Mapping[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else {}
