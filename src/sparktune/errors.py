"""Every error that a user can meet, as one tree.

Each class carries the exit code of the process and a hint, the next step for the person who reads it. A message says
what happened, the value seen, and where; it is one sentence without a final period.

::

    SparktuneError                  1   anything below, never raised itself
    |-- UsageError                  2   the command line or a user's file is wrong
    |-- EndpointError               1   the server cannot be measured
    |   |-- ConnectFailed               nobody answers at that address
    |   |   `-- NotTrusted                  its certificate is none that is trusted here
    |   |-- NotReady                    it answers 503: still loading a model
    |   |-- AuthRejected                401 or 403: key missing or wrong
    |   |-- UnknownModel                the server does not serve that model
    |   |-- NotOpenAI                   it answers, but not as an OpenAI-compatible server
    |   `-- RequestRejected             it refuses a request of ours (400, 404, 422)
    |-- NodeError                   1   a node does not tell what it was asked
    |   |-- NodeUnreachable             no way there, or the way broke
    |   |-- NodeAuthRejected            ssh refuses: the key, or the identity of the host
    |   |-- NodeTimeout                 it did not answer in time
    |   |-- NodeNoPython                it has no Python that runs the agent
    |   |-- NodeProtocolError           it answers, but not as the agent does
    |   |-- NodeBusy                    another transaction works there
    |   |-- NodeNeedsRoot               it would have to be root, and cannot
    |   `-- PlanVoid                    what the plan saw has changed since
    |-- HostError                   1   a machine was not changed as asked
    |   |-- PlanRefused                 something stands against the plan
    |   `-- ChangeFailed                a step failed, or undoing one did
    |-- ArmFailed                   1   an arm of an experiment could not be set, or not be taken back
    |   |-- AddressTaken                somebody else serves at its address
    |   `-- NotStarted                  its server did not come up
    |-- BootDue                     5   an arm is written, and counts when this machine has booted
    |-- StoreError                  1   the store of runs cannot be read or written
    |   `-- UnknownRun                  no run with that id
    |-- MissingPart                 1   an optional dependency or a file it ships is not installed
    |-- RequestsFailed              1   the run ended, but requests of it failed
    |-- GuardStopped                4   a guard ended the run
    |-- NotConclusive               5   the run ended without a valid result
    `-- Interrupted               130   Ctrl-C or SIGTERM; what had finished is kept
"""

__all__ = [
    "AddressTaken",
    "ArmFailed",
    "AuthRejected",
    "BootDue",
    "ChangeFailed",
    "ConnectFailed",
    "EndpointError",
    "ExitCode",
    "GuardStopped",
    "HostError",
    "Interrupted",
    "MissingPart",
    "NodeAuthRejected",
    "NodeBusy",
    "NodeError",
    "NodeNeedsRoot",
    "NodeNoPython",
    "NodeProtocolError",
    "NodeTimeout",
    "NodeUnreachable",
    "NotConclusive",
    "NotOpenAI",
    "NotReady",
    "NotStarted",
    "NotTrusted",
    "PlanRefused",
    "PlanVoid",
    "RequestRejected",
    "RequestsFailed",
    "SparktuneError",
    "StoreError",
    "UnknownModel",
    "UnknownRun",
    "UsageError",
]

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What the process tells the shell; the same for all commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    DIFFERENCES = 3
    GUARD_STOPPED = 4
    NOT_CONCLUSIVE = 5
    INTERRUPTED = 130


class SparktuneError(Exception):
    """Base of the tree: ``str(error)`` is the message, ``hint`` the next step, ``exit_code`` the process's answer."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the message and the hint apart, so that printing decides how to lay them out."""
        super().__init__(message)
        self.hint = hint


class UsageError(SparktuneError):
    """The command line, or a file that the user wrote, cannot be understood."""

    exit_code = ExitCode.USAGE


class EndpointError(SparktuneError):
    """The server cannot be measured."""


class ConnectFailed(EndpointError):
    """Nobody answers at the address."""


class NotTrusted(ConnectFailed):
    """The server's certificate is none that is trusted here, or has another name: no waiting mends that."""


class NotReady(EndpointError):
    """The server answers 503: it is still loading a model, or its queue is full."""


class AuthRejected(EndpointError):
    """The server refuses the API key, or wants one."""


class UnknownModel(EndpointError):
    """The server does not serve the model that was asked for."""


class NotOpenAI(EndpointError):
    """The server answers, but not in the OpenAI form."""


class RequestRejected(EndpointError):
    """The server refuses a request as it was sent."""


class NodeError(SparktuneError):
    """A node does not tell what it was asked; the message begins with the node's name."""


class NodeUnreachable(NodeError):
    """There is no way to the node, or the way broke."""


class NodeAuthRejected(NodeError):
    """The node refuses the key, or ssh refuses the identity of the host."""


class NodeTimeout(NodeError):
    """The node did not answer in time."""


class NodeNoPython(NodeError):
    """The node has no Python that runs the agent."""


class NodeProtocolError(NodeError):
    """The node answers, but not as the agent does."""


class NodeBusy(NodeError):
    """Another transaction works on the node; the message says whose and since when."""


class NodeNeedsRoot(NodeError):
    """The node would have to be changed by root, and this user cannot become root there."""


class PlanVoid(NodeError):
    """What the plan saw on the node has changed since it was made."""


class HostError(SparktuneError):
    """A machine was not changed as asked."""


class PlanRefused(HostError):
    """Something stands against the plan, and nobody accepted it."""


class ChangeFailed(HostError):
    """A step failed, or undoing one did; the message says what each node is now."""


class ArmFailed(SparktuneError):
    """An arm of an experiment could not be set, or not be taken back."""


class AddressTaken(ArmFailed):
    """Something that the experiment has not started answers where the arm would serve."""


class NotStarted(ArmFailed):
    """The arm's server was started and did not come up: that may be the setting's own answer."""


class BootDue(SparktuneError):
    """An arm is written, and counts when this machine has booted; the experiment goes on after that."""

    exit_code = ExitCode.NOT_CONCLUSIVE


class StoreError(SparktuneError):
    """The store of runs cannot be read or written."""


class UnknownRun(StoreError):
    """No run with that id is in the store."""


class MissingPart(SparktuneError):
    """An optional dependency, or a file that it ships, is not installed."""


class RequestsFailed(SparktuneError):
    """The run ended, but some of its requests failed; the result says which."""


class GuardStopped(SparktuneError):
    """A guard ended the run."""

    exit_code = ExitCode.GUARD_STOPPED


class NotConclusive(SparktuneError):
    """The run ended, but its result is invalid or inconclusive."""

    exit_code = ExitCode.NOT_CONCLUSIVE


class Interrupted(SparktuneError):
    """The user or the system asked the run to end; what had finished is kept."""

    exit_code = ExitCode.INTERRUPTED
