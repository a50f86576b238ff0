"""What is read back of an arm and is the same in every visit of it: not which start of its service was read."""

__all__ = ["UNREAD", "lasting"]

from collections.abc import Mapping

from sparktune.model.launcher import OF_ONE_START

UNREAD = "unread"
"""What stands for a value that did not answer when it was asked again."""


def lasting(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that say something of the setting, by their names."""
    return {name: value for name, value in values.items() if not name.endswith(OF_ONE_START)}
