"""A name that ssh cannot reach, and that a folder of captured trees has: most likely those trees were meant."""

__all__ = ["trees_of_that_name"]

from pathlib import Path

_MOST = 8


def trees_of_that_name(host: str) -> tuple[str, ...]:
    """Return the captured trees of a folder with this name, as ``--nodes`` takes them; none where there is no such."""
    folder = Path(host)
    try:
        if _is_tree(folder):
            return (f"{host}/",)
        inside = sorted(path.name for path in folder.iterdir() if _is_tree(path)) if folder.is_dir() else []
    except OSError:
        return ()
    return tuple(f"{host}/{name}" for name in inside[:_MOST])


def _is_tree(path: Path) -> bool:
    return (path / "proc").is_dir()
