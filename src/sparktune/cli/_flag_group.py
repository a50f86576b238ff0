"""Options that belong together, written once as a dataclass and taken by every command that needs them."""

__all__ = ["with_flags"]

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_origin, get_type_hints


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that a dataclass describes, in the place of the parameter that takes the dataclass.

    A command may take several. Only fields that are annotated with an option become one; the others keep their default.
    """
    own = inspect.signature(command).parameters.values()
    groups = {
        one.name: one.annotation for one in own if isinstance(one.annotation, type) and is_dataclass(one.annotation)
    }
    options = {name: list(_options(kind)) for name, kind in groups.items()}
    shown = [option for one in own for option in options.get(one.name, [one.replace(kind=one.KEYWORD_ONLY)])]

    @wraps(command)
    def run(**values: Any) -> None:  # noqa: ANN401 - whatever the command's own options are
        taken = {
            name: kind(**{option.name: values.pop(option.name) for option in options[name]})
            for name, kind in groups.items()
        }
        command(**taken, **values)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _options(kind: type) -> Iterator[inspect.Parameter]:
    """Yield the parameter of each field that is annotated with an option."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        if get_origin(hint) is Annotated:
            yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hint)
