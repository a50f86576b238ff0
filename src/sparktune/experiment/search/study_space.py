"""A sweep as a part of a study that others search, too: its space by name, what is proposed to it, what it learned."""

__all__ = ["learned_by", "proposals_of", "study_space"]

import hashlib
import json
from collections.abc import Mapping, Sequence

from sparktune.deploy.sweep_space import candidate_of
from sparktune.deploy.sweep_values import same_value
from sparktune.experiment.plan import Experiment
from sparktune.model.study import Learned, StudySpace
from sparktune.model.sweep import BASELINE, Candidate, Estimate, Standing, SweepPlan
from sparktune.model.sweep_record import SweepRecord

_FAILED = frozenset({Standing.INFEASIBLE, Standing.UNFIT})


def study_space(record: SweepRecord, experiment: Experiment) -> StudySpace:
    """Return the space of a sweep. Its name holds everything that makes two results comparable, and no machine."""
    choices = {
        one.knob: (one.baseline, *sorted(value for value in one.values if not same_value(value, one.baseline)))
        for one in sorted(record.plan.ranges, key=lambda one: one.knob)
    }
    same = {
        "choices": choices,
        "engine": record.engine,
        "model": experiment.workload.options.model,
        "cells": sorted(cell.label for cell in experiment.workload.cells),
        "primary": experiment.primary.metric,
        "weights": dict(sorted(experiment.primary.weights.items())),
    }
    digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:12]
    return StudySpace(name=f"sparktune {', '.join(choices)} {digest}", choices=choices)


def proposals_of(asked: Sequence[Mapping[str, str]], space: StudySpace, plan: SweepPlan) -> tuple[Candidate, ...]:
    """Return what a study proposes as configurations, without the baseline and those that the plan has already."""
    known = {"", *(one.key for one in plan.screened), *(one.key for one in plan.pruned)}
    found: dict[str, Candidate] = {}
    for values in asked:
        moved = {knob: value for knob, value in values.items() if value != space.baseline[knob]}
        one = candidate_of(moved)
        if one.key not in known:
            found.setdefault(one.key, one)
    return tuple(found.values())


def learned_by(known: Sequence[Estimate], space: StudySpace) -> tuple[Learned, ...]:
    """Return what a sweep knows of every configuration in the space; the baseline is 0 by definition."""
    return tuple(
        Learned(
            key=one.candidate.key,
            values={**space.baseline, **one.candidate.values},
            log_ratio=0.0 if one.candidate.key == BASELINE else None if one.standing in _FAILED else one.log_ratio,
            failed=(one.why or one.standing.value) if one.standing in _FAILED else "",
        )
        for one in known
        if one.standing is not Standing.WAITING and set(one.candidate.values) <= set(space.choices)
    )
