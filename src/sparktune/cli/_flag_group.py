"""Flags that belong together, written once as a dataclass and taken by every command that needs them."""

__all__ = ["with_flags"]

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints


def with_flags(kind: type, command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes ``flags`` the options that ``kind`` describes in their place."""
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)]

    @wraps(command)
    def run(**values: Any) -> None:  # noqa: ANN401 - whatever the command's own options are
        flags = kind(**{name: values.pop(name) for name in names})
        command(flags=flags, **values)

    own = inspect.signature(command).parameters
    options = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(kind)
    ]
    kept = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.values() if one.name != "flags"]
    run.__signature__ = inspect.Signature([*kept[:2], *options, *kept[2:]])  # type: ignore[attr-defined]
    run.__annotations__ = {
        **{one.name: one.annotation for one in kept},
        **{name: hints[name] for name in names},
    }
    return run
