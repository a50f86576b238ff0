"""What ``lint`` looks at, and what a rule of it is."""

__all__ = ["Fix", "LintFinding", "LintRule", "LintView", "Part"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sparktune.model.document import Command, Document, EntryKind
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.model.setting import Dropped, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One server that the files start: a service of a compose file, a recipe, a unit, a command.

    ``engine`` is the id of the engine, "" where it is not known; ``image`` as written, variables filled in.
    ``settings`` are all of it in normal form, by key, with their places; what several files say is there as the one
    that counts, and ``dropped`` has what does not. ``environment`` are the variables that the process gets, filled in;
    ``keys`` the keys of the service by name. ``command`` is what starts it, filled in; ``written`` the same as it
    stands in the file.
    """

    document: Document
    name: str
    engine: str
    image: str
    settings: Mapping[str, Setting]
    environment: Mapping[str, Setting]
    keys: Mapping[str, Setting]
    command: Command | None = None
    written: Command | None = None
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LintView:
    """All that was given: ``documents`` as read, ``parts`` that start something, ``nodes`` whose facts are known.

    ``variables`` fill ``${NAME}`` in. ``tools`` are answers of other programs by name, as JSON (``sparkrun``).
    """

    documents: tuple[Document, ...]
    parts: tuple[Part, ...]
    nodes: tuple[NodeFacts, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """An edit that cannot make anything worse: the entry of a file that says ``value`` then, or is gone (None)."""

    file: str
    part: str
    kind: EntryKind
    name: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """``evidence`` has the values seen, secrets removed; ``hint`` what to do; ``fix`` only where ``--fix`` may do it.

    ``line`` counts from 1, None for a whole file; ``node`` is named where it is about a machine's facts.
    """

    rule: str
    severity: Severity
    file: str
    evidence: str
    hint: str
    source: str
    line: int | None = None
    node: str | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One rule; the constant ``RULE`` of one file in ``deploy/rules``. ``run`` is pure, raises nothing, never guesses.

    ``id`` is a stable word (``graph-coverage``); ``why`` what it costs when it is so; ``source`` where that is known
    from.
    """

    id: str
    title: str
    why: str
    source: str
    run: Callable[[LintView], tuple[LintFinding, ...]]
