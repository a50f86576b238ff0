"""The environment of a node, as options for ``docker run``, as a file of variables, or as JSON.

In the first two forms whatever is not set is a comment that says why. Options are a bash array, because a list of words
with line continuations cannot have comments.
"""

__all__ = ["environment_file", "environment_json", "environment_options"]

import json
import shlex

from sparktune.host.node_environment import NodeEnvironment, Variable


def environment_options(found: NodeEnvironment) -> str:
    """Return a bash array: ``eval "$(sparktune render ...)"``, then ``docker run "${docker_args[@]}" IMAGE``."""
    lines = [
        f'# {_line(found.node)}: for docker run; take it as: eval "$(...)"; docker run "${{docker_args[@]}}" IMAGE'
    ]
    lines += [f"# {_line(note)}" for note in found.notes]
    lines.append("docker_args=(")
    for option in found.options:
        lines.append(
            f"  {shlex.join(option.words)}  # {_line(option.why)}" if option.words else f"  # {_line(option.why)}"
        )
    lines += [f"  {_option(variable)}" for variable in found.variables]
    return "\n".join((*lines, ")", ""))


def environment_file(found: NodeEnvironment) -> str:
    """Return a file for ``docker run --env-file`` or compose; options of the container are comments in it."""
    lines = [f"# {_line(found.node)}: the container needs, too: {' '.join(_words(found))}"]
    lines += [f"# {_line(note)}" for note in found.notes]
    for variable in found.variables:
        if variable.value is None:
            lines.append(f"# {variable.name}: {_line(variable.why)}")
        else:
            lines += [f"# {_line(variable.why)}", f"{variable.name}={_line(variable.value)}"]
    return "\n".join((*lines, ""))


def environment_json(found: NodeEnvironment) -> str:
    """Return one object, schema 1; what is not set is null with its reason."""
    return (
        json.dumps(
            {
                "schema": 1,
                "node": found.node,
                "environment": {one.name: {"value": one.value, "why": one.why} for one in found.variables},
                "docker": [{"words": list(one.words), "why": one.why} for one in found.options],
                "notes": list(found.notes),
            },
            indent=2,
        )
        + "\n"
    )


def _option(variable: Variable) -> str:
    if variable.value is None:
        return f"# {variable.name}: {_line(variable.why)}"
    return f"-e {shlex.quote(f'{variable.name}={_line(variable.value)}')}  # {_line(variable.why)}"


def _words(found: NodeEnvironment) -> list[str]:
    return [word for option in found.options for word in option.words]


def _line(text: str) -> str:
    """Return a text as one line that steers no terminal: names come from a machine."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
