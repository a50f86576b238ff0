"""Files that are read by another process while a test changes them."""

__all__ = ["write_whole"]

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write another text in one step: who reads meanwhile finds the old one or the new one, never half of one."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text)
    new.replace(path)
