"""Put the commit into what is built: of a checkout the one that git names, of a source archive the one in it."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NAME = "_commit.txt"


class CommitHook(BuildHookInterface):
    """Adds ``sparktune/_commit.txt``; without git, and outside of a checkout, it is left out, and unknown."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file aside and name it for the archive."""
        commit = "" if version == "editable" else self._commit()
        if not commit or (Path(self.root) / "src" / "sparktune" / _NAME).exists():
            return
        path = Path(tempfile.mkdtemp()) / _NAME
        path.write_text(f"{commit}\n")
        folder = "src/sparktune" if self.target_name == "sdist" else "sparktune"
        build_data["force_include"][str(path)] = f"{folder}/{_NAME}"

    def _commit(self) -> str:
        if not (Path(self.root) / ".git").exists():
            return ""
        try:
            told, changed = (self._git(*words) for words in (("rev-parse", "HEAD"), ("status", "--porcelain", "-uno")))
        except (OSError, subprocess.CalledProcessError):
            return ""
        return told + (" with changes" if changed else "")

    def _git(self, *words: str) -> str:
        command = ["git", "-c", f"safe.directory={self.root}", "-C", self.root, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - words of ours
        return done.stdout.strip()
