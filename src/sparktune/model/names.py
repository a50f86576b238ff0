"""Names of models as servers, files and people write them: when two of them are one model's."""

__all__ = ["last_part", "same_model"]

_ENDINGS = (".gguf", ".safetensors", ".bin")


def same_model(first: str, second: str) -> bool:
    """Tell whether both may name one model: one may be the end of the other, as of a path or a repository."""
    one, other = first.casefold(), second.casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def last_part(name: str) -> str:
    """Return a model's name without its folders or owner, and without the ending of a file of weights."""
    last = name.rstrip("/").rpartition("/")[2]
    ending = next((ending for ending in _ENDINGS if last.casefold().endswith(ending)), "")
    return last[: len(last) - len(ending)]
