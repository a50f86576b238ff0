"""A result as a whole, in text and JSON: cells, guards, what was only observed, what does not count and why."""

import json
import math
import random
from dataclasses import replace

from tests.support.blocks import CELL, GUARDS, decided_on, rates
from tests.support.experiments import CELLS, experiment, visit

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric, Primary, VisitState
from sparktune.model.check import CheckResult, Status
from sparktune.report.ab.json import result_json
from sparktune.report.ab.text import plan_text, result_text


def test_text_shows_cells_guards_and_what_was_observed() -> None:
    """Cells are exploratory, and what is only observed decides nothing: both are said beside the numbers."""
    plan = replace(
        experiment(guards=GUARDS),
        primary=Primary(metric="ttft_s", better=Better.LOWER),
        guards=(GuardMetric(metric="m", better=Better.HIGHER),),
    )
    values = {
        arm: {
            cell: {"m": (100.0, 100.5, 99.5), "ttft_s": (wait, wait, wait), "e2e_s": (2 * wait, 2 * wait, 2 * wait)}
            for cell in CELLS
        }
        for arm, wait in ((Arm.A, 0.5), (Arm.B, 0.25))
    }
    visits = [visit(number, arm, values[arm], place=place) for number in (1, 2, 3) for place, arm in enumerate(Arm)]
    unknown = CheckResult(id="V12", status=Status.UNKNOWN, evidence="no capture size")
    fine = CheckResult(id="V06", status=Status.OK, evidence="equal work")
    draw = random.Random(1)
    text = result_text(conclude(plan, visits, [unknown, fine], {"e2e_s": Better.LOWER}, lambda: draw.gauss(0, 1)))
    assert text.startswith("IMPROVED: B is -50.0 % [-5")
    assert "  1 AB: pp64 tg32 c1: A 500.0 ms, B 250.0 ms; pp64 tg32 c2: A 500.0 ms, B 250.0 ms" in text
    assert "  pp64 tg32 c2: -50.0 % [-5" in text
    assert "], holds" in text
    assert "  m no worse by 10.0 % or more: +0.0 % [" in text
    assert "also observed (decides nothing):\n  e2e_s: -50.0 % [" in text
    assert "could not be evaluated: V12\nchecks ok: V06" in text


def test_text_keeps_what_does_not_count_and_says_why() -> None:
    lost = visit(4, Arm.B, rates(1.0), attempt=2, state=VisitState.VOID, why="interrupted")
    text = result_text(replace(decided_on([1.1, 1.12, 1.11], more=[lost]), afterwards="arm A is live", notes=("n",)))
    assert "not counted: block 4, attempt 2, arm B: interrupted" in text
    assert "now: arm A is live" in text
    assert "  1 AB: pp64 tg32 c1: A 100.0, B 110.0" in text
    assert text.startswith("IMPROVED")


def test_nothing_that_came_from_outside_steers_a_terminal() -> None:
    plan = replace(experiment(cells=[CELL]), name="a\x1b[2Jb", knob="c\nd")
    assert "\x1b" not in plan_text(plan, ())
    assert "experiment: a\\x1b[2Jb; c d differs" in plan_text(plan, ())


def test_json_has_the_shape_that_stays() -> None:
    record = json.loads(result_json(decided_on([1.10, 1.12, 1.11], guards=GUARDS)))
    assert record["schema"] == 1
    assert (record["run"], record["verdict"], record["primary"], record["blocks"]) == ("e1", "IMPROVED", "m", 3)
    assert set(record["effect"]) >= {"ratio", "low", "high", "confidence"}
    assert record["guards"][0]["status"] == "ok"
    assert record["checks"] == []
    assert math.isclose(record["effect"]["ratio"], 1.11, rel_tol=1e-3)


def test_what_is_not_known_is_null_with_a_why() -> None:
    record = json.loads(result_json(decided_on([1.1])))
    assert (record["verdict"], record["effect"], record["noise"]) == (None, None, None)
    assert record["anecdote"]
    assert record["why"]
