"""Which inference engine a process or a container belongs to, and what it does there, from its names.

Source: the process titles that vLLM (``VLLM::EngineCore``, ``VLLM::Worker_TP0``) and SGLang (``sglang::scheduler``)
give themselves; the names of llama.cpp's programs; the subcommands of vLLM and Ollama. The kernel keeps 15 characters
of a name, so titles are compared by their beginning.
"""

__all__ = ["Role", "engine_of_image", "role_of"]

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """An engine's name, and what the process does in it."""

    engine: str
    role: str


_TITLES = (
    ("VLLM::EngineCor", Role(engine="vllm", role="engine-core")),
    ("VLLM::Worker", Role(engine="vllm", role="worker")),
    ("VLLM::APIServer", Role(engine="vllm", role="api-server")),
    ("VLLM::", Role(engine="vllm", role="helper")),
    ("ray::RayWorkerW", Role(engine="vllm", role="worker")),
    ("sglang::schedul", Role(engine="sglang", role="worker")),
    ("sglang::", Role(engine="sglang", role="helper")),
    ("sglang_router", Role(engine="sglang", role="router")),
    ("ollama_llama_se", Role(engine="ollama", role="runner")),
)
_PROGRAMS = {
    "llama-server": Role(engine="llamacpp", role="api-server"),
    "llama-cli": Role(engine="llamacpp", role="client"),
    "rpc-server": Role(engine="llamacpp", role="rpc-server"),
    "ggml-rpc-server": Role(engine="llamacpp", role="rpc-server"),
    "trtllm-serve": Role(engine="tensorrt-llm", role="api-server"),
}
_SUBCOMMANDS = {
    ("vllm", "serve"): Role(engine="vllm", role="api-server"),
    ("sglang", "serve"): Role(engine="sglang", role="api-server"),
    ("ollama", "serve"): Role(engine="ollama", role="api-server"),
    ("ollama", "runner"): Role(engine="ollama", role="runner"),
}
_MODULES = (
    ("vllm.entrypoints.", Role(engine="vllm", role="api-server")),
    ("sglang.launch_server", Role(engine="sglang", role="api-server")),
)
_IMAGE_WORDS = (
    ("vllm", "vllm"),
    ("sglang", "sglang"),
    ("llama.cpp", "llamacpp"),
    ("llama-cpp", "llamacpp"),
    ("llamacpp", "llamacpp"),
    ("ollama", "ollama"),
    ("tensorrt-llm", "tensorrt-llm"),
    ("trtllm", "tensorrt-llm"),
)
# The program itself, or the second word after an interpreter
_WORDS_OF_PROGRAM = 2


def role_of(name: str, argv: Sequence[str], program: str = "") -> Role | None:
    """Return the role of a process, or None for one of no engine.

    ``name`` is the kernel's name of it (comm), ``argv`` its command line, empty when unknown, ``program`` the path of
    its executable, empty when unknown.
    """
    for title in (name, argv[0] if argv else ""):
        for beginning, role in _TITLES:
            if title.startswith(beginning):
                return role
    words = [_base(word) for word in argv[:_WORDS_OF_PROGRAM]]
    for word in (_base(program), *words[:1], *([] if argv else [name])):
        if word in _PROGRAMS:
            return _PROGRAMS[word]
    return _by_arguments(words, argv) if argv else _by_name_alone(name)


def _by_arguments(words: Sequence[str], argv: Sequence[str]) -> Role | None:
    for place, word in enumerate(words):
        following = argv[place + 1] if place + 1 < len(argv) else ""
        if (word, following) in _SUBCOMMANDS:
            return _SUBCOMMANDS[word, following]
        if word == "trtllm-serve":  # a Python script
            return _PROGRAMS[word]
    for option, module in itertools.pairwise(argv):
        if option == "-m":
            return next((role for beginning, role in _MODULES if module.startswith(beginning)), None)
        if not option.startswith("-") and option != argv[0]:
            break
    return None


def _by_name_alone(name: str) -> Role | None:
    return {program: role for (program, verb), role in _SUBCOMMANDS.items() if verb == "serve"}.get(name)


def engine_of_image(image: str, command: Sequence[str] = ()) -> str | None:
    """Return the engine that a container's image or its command names, or None."""
    for text in (" ".join(command), image):
        for word, engine in _IMAGE_WORDS:
            if word in text.lower():
                return engine
        if any(_base(word) in _PROGRAMS for word in text.split()):
            return next(_PROGRAMS[_base(word)].engine for word in text.split() if _base(word) in _PROGRAMS)
    return None


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]
