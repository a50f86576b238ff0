"""End a graphical session now, instead of at the next boot: a step of its own, since it ends what people work in.

Sources: systemctl(1), isolate: every unit that the target does not want is stopped, unless IgnoreOnIsolate= is set, as
it is for scopes, slices and user managers (systemd's core/scope.c and core/slice.c; user@.service).
"""

__all__ = ["CHANGE"]

from sparktune.host.boot_target import boot_target_reads, graphical_state, target_file
from sparktune.host.hazards import Inference, evidence, inference_on
from sparktune.host.tasks import TASK_READS, tasks_of
from sparktune.model.host_plan import ChangePlan, HostChange, HostCheck, HostView, PlannedStep, Refusal, TakesEffect
from sparktune.model.node import NodeFacts
from sparktune.model.profile import Profile
from sparktune.model.reads import Read
from sparktune.model.step import IsolateStep

_ID = "isolate"
_GRAPHICAL = "graphical.target"
_ENDS = (
    "isolating ends the display manager, every graphical session with the programs in it, unsaved work too, and every "
    "service that was started by hand and that the target does not want"
)
_DAEMONS = ("docker.service", "containerd.service", "podman.service")


def _reads(_facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    return (*boot_target_reads(profile.target), *TASK_READS) if profile.isolate_now else ()


def _plan(view: HostView) -> ChangePlan:
    target = view.profile.target
    if not view.profile.isolate_now or target == _GRAPHICAL:
        return ChangePlan()
    state = graphical_state(view.readings)
    if state.value != "active":
        unknown = (f"whether a graphical session runs is not known: {state.why or 'systemd did not answer'}",)
        return ChangePlan(notes=unknown if state.value is None else ())
    file = target_file(view.readings, target)
    if file.wrong:
        hint = "--target names another target; --without isolate leaves the session"
        return ChangePlan(refusals=(Refusal(change=_ID, reason=file.wrong, hint=hint),))
    step = PlannedStep(
        change=_ID,
        target=_GRAPHICAL,
        before="active",
        after=f"{target} only",
        takes_effect=TakesEffect.LIVE,
        step=IsolateStep(target=target, back=_GRAPHICAL),
        cuts_off=True,
    )
    return ChangePlan(steps=(step,), refusals=_ended(view), notes=(_ENDS,))


def _ended(view: HostView) -> tuple[Refusal, ...]:
    """Refuse while inference runs in what isolating may stop."""
    running = inference_on(view.facts, view.profile, tasks_of(view.readings))
    at_risk = tuple(one for one in running if _is_at_risk(one))
    if not at_risk:
        return ()
    return (
        Refusal(
            change=_ID,
            reason="running inference may be ended by it: it is a service of its own, or belongs to somebody's session",
            hint="stop it first, or run it in a container; or leave out --isolate-now and let the next boot do it",
            evidence=evidence(at_risk),
        ),
    )


def _is_at_risk(one: Inference) -> bool:
    in_session = one.cgroup.startswith("/user.slice/")
    return one.container is None and (in_session or (one.service is not None and one.service not in _DAEMONS))


def _verify(_view: HostView) -> tuple[HostCheck, ...]:
    return ()  # default-target tells whether a graphical session runs


CHANGE = HostChange(
    id=_ID,
    title="The graphical session, now",
    does="switches to the default target at once, which ends graphical sessions and what runs in them",
    does_not="happen unless --isolate-now asks for it, or keep a desktop from being started by hand again",
    effect="none measured; what a desktop held of memory is free at once",
    source="systemctl(1), isolate",
    order=900,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
