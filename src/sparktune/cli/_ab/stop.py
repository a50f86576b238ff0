"""An engine that is to be ended when a guard stops has to be one that the experiment has started."""

__all__ = ["check_can_stop"]

from sparktune.errors import UsageError
from sparktune.experiment.plan import Experiment
from sparktune.model.arm_action import StartProcess
from sparktune.model.launcher import ArmPlan


def check_can_stop(plan: ArmPlan, experiment: Experiment) -> None:
    """Raise UsageError when nothing could be ended: a promise to save a host must not turn out empty."""
    ours = plan.kill or any(isinstance(action, StartProcess) for action in plan.actions)
    if experiment.protection.stop_engine and not ours:
        message = f"the engine cannot be ended: with launcher {experiment.launcher} somebody else has started it"
        raise UsageError(message, hint="leave --stop-engine and stop_engine out; the load is ended all the same")
