"""Which of a server's models is measured."""

__all__ = ["choose_model"]

from difflib import get_close_matches

from sparktune.errors import UnknownModel, UsageError
from sparktune.model.engine import EngineFacts


def choose_model(facts: EngineFacts, wanted: str | None) -> str:
    """Return the model to ask for: the wanted one, or the only one that is served.

    Raises UnknownModel when the server lists models and not this one, UsageError when there is more than one, or none
    listed, and none was named.
    """
    served = ", ".join(facts.models)
    if wanted is None:
        if len(facts.models) == 1:
            return facts.models[0]
        if facts.models:
            message = f"the server serves {len(facts.models)} models, and none was named"
            raise UsageError(message, hint=f"choose one with --model: {served}")
        message = "the server does not list its models, and none was named"
        raise UsageError(message, hint="name one with --model")
    if facts.models and wanted not in facts.models:
        near = get_close_matches(wanted, facts.models, n=1)
        hint = f"did you mean {near[0]}? it serves: {served}" if near else f"it serves: {served}"
        message = f"the server does not serve the model {wanted!r}"
        raise UnknownModel(message, hint=hint)
    return wanted
