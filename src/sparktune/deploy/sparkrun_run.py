"""The command that starts an arm by sparkrun, and what its serving process must have: options, variables, CPUs.

Source: sparkrun 0.4.2: ``run -o key=value`` changes a recipe's default, ``-e NAME=value`` a variable, ``--label`` sets
labels, ``--executor-args`` options of ``docker run``; ``--offline`` and ``--no-sync-tuning`` fetch nothing;
``SPARKRUN_NO_TELEMETRY=1`` keeps it from reporting home.
"""

__all__ = ["Arm", "experiment_label", "wanted_cpus"]

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparktune.deploy.services import ServiceSettings, here
from sparktune.deploy.sparkrun_seen import Recipe
from sparktune.deploy.texts import Texts
from sparktune.model.arm_action import RunOnNode
from sparktune.model.launcher import ArmSpec

EXPERIMENT: Final = "sparktune.exp"
ARM: Final = "sparktune.arm"
ENVIRONMENT: Final = {"SPARKRUN_NO_TELEMETRY": "1"}
_CPUSET: Final = re.compile(r"(?:^|\s)--cpuset-cpus[=\s]+([0-9,-]+)")


def experiment_label(spec: ArmSpec) -> str:
    """Return what marks the containers of an experiment: the same whenever it is gone on with."""
    said = json.dumps([spec.arms, list(spec.where)], sort_keys=True, default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def wanted_cpus(executor_args: str) -> str:
    """Return the CPU list that docker's options give, "" for none."""
    found = _CPUSET.search(executor_args)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm of a recipe: what goes on the command line, and the recipe's text where only that can say it."""

    recipe: Recipe
    settings: ServiceSettings

    def options(self) -> dict[str, str]:
        """Return ``-o``: the arm's own, and what feeds its flags. Raises ValueError for one that would be dropped."""
        found = dict(self.settings.options)
        for flag, value in self.settings.flags.items():
            keys = self._fed(flag, value)
            if keys and value is not None:
                found[keys] = value
        for key in found:
            self._refuse_dropped(key)
        return found

    def text(self) -> str:
        """Return the recipe's text for this arm: as it is, but for what no option can say."""
        edited = Texts({self.recipe.path: self.recipe.text})
        for name, value in self.settings.env.items():
            if value is None and name in self.recipe.env:
                edited.write("recipe", self.recipe.path, ("", "env", name), None)
        for flag, value in self.settings.flags.items():
            if not self._fed(flag, value) and not (value is None and flag not in self.recipe.flags):
                edited.write("recipe", self.recipe.path, ("", "flag", flag), value)
        return edited.text(self.recipe.path)

    def command(self, labels: Mapping[str, str]) -> RunOnNode:
        """Return what starts it, and waits until it is ready."""
        recipe, settings = self.recipe, self.settings
        words = ["sparkrun", "run", recipe.path]
        words += [f"--cluster={recipe.cluster}"] if recipe.cluster else []
        words += ["--offline", "--no-auto-detect", "--no-follow", "--no-sync-tuning"]
        for name, value in self.options().items():
            words += ["-o", f"{name}={value}"]
        for name, given in settings.env.items():
            words += ["-e", f"{name}={given}"] if given is not None else []
        for name, value in labels.items():
            words += ["--label", f"{name}={value}"]
        words += ["--executor-args", settings.executor_args] if settings.executor_args else []
        return RunOnNode(node=recipe.node, argv=tuple(words), environment=ENVIRONMENT, limit_s=settings.wait_s)

    def flags(self, names: tuple[str, ...]) -> dict[str, str | None]:
        """Return what the server's flags come to in this arm."""
        options = self.options()
        own = self.settings.flags
        return {name: own[name] if name in own else self.recipe.filled(name, options) for name in names}

    def _fed(self, flag: str, value: str | None) -> str:
        """Return the key that feeds a flag, "" when the recipe itself has to be edited."""
        if value in {None, ""}:
            return ""
        if not self.recipe.has_command:
            return flag.lstrip("-").replace("-", "_")
        keys = self.recipe.keys_of(flag)
        return keys[0] if len(keys) == 1 and self.recipe.flags.get(flag) == f"{{{keys[0]}}}" else ""

    def _refuse_dropped(self, key: str) -> None:
        if not self.recipe.has_command:
            return
        root = key.partition(".")[0]
        if f"{{{root}}}" not in self.recipe.text:
            message = (
                f"{here(self.recipe.node)}: {self.recipe.path} does not use {{{root}}} in its command: sparkrun would "
                f"drop {key} with a warning, and both arms would be the same"
            )
            raise ValueError(message)
