"""The short words of an experiment's report: the facts beside its verdict, where it comes from."""

__all__ = ["caution", "key_facts", "model_words", "provenance", "settings_lines", "stamp"]

import json
from collections.abc import Mapping

from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult, GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.report.ab.harm_words import harm_places
from sparktune.report.ab.words import change_words, interval_words, order_words, sentence, verdict_words
from sparktune.report.bench.words import UNKNOWN, engine_words, one_line, setting_words, utc
from sparktune.report.records import plain_record
from sparktune.units import format_percent


def caution(result: ExperimentResult) -> str:
    """Return what has to be said before any number of an experiment that concludes nothing, "" otherwise."""
    if result.verdict is Verdict.INVALID:
        return "The comparison is void. What follows was measured, but it does not compare the arms."
    if result.verdict is Verdict.STOPPED:
        return "The experiment was stopped. What follows is what was measured until then; it concludes nothing."
    if result.verdict is None:
        return "No claim is made yet. What follows is what was measured so far."
    return ""


def key_facts(result: ExperimentResult) -> list[tuple[str, str]]:
    """Return what has to stand beside a verdict: effect, interval, blocks, order, wins, guards."""
    experiment, effect = result.experiment, result.judgement.effect
    better = experiment.primary.better
    done, planned = len(result.blocks), len(experiment.blocks)
    counted = f"{done} of {planned}"
    change, interval = UNKNOWN, UNKNOWN
    if result.verdict is Verdict.INVALID:
        change, interval = "void", "void"
    elif effect is not None:
        change, interval = change_words(effect, better), interval_words(effect, better)
    checks = [check for check in result.checks if check.status.value == "invalid"]
    return [
        (f"{experiment.primary.metric}, B against A", change),
        (f"{format_percent(effect.confidence) if effect else ''} interval".strip(), interval),
        ("blocks (n)", counted),
        ("order", order_words(result) or "none yet"),
        ("B won", f"{effect.wins} of {effect.blocks}" if effect else UNKNOWN),
        ("guards", _guards(result)),
        ("better is", "more" if better.value == "higher" else "less"),
        _asked_for(experiment),
        ("trials that stood apart", f"{result.outliers}, all kept"),
        ("checks", "none invalid" if not checks else f"{len(checks)} invalid"),
    ]


def _asked_for(experiment: Experiment) -> tuple[str, str]:
    if experiment.rules.only_equivalence:
        return ("the same", f"within {format_percent(experiment.rules.equivalence)}")
    return ("worth having", f"{format_percent(experiment.rules.margin)} or more")


def stamp(result: ExperimentResult) -> str:
    """Return the line below a picture that is shared without its page: the verdict, whole."""
    said = sentence(result).removeprefix(f"{verdict_words(result)}: ")
    places = f"; {harm_places(result.harms)}" if result.harms else ""
    return f"{verdict_words(result)}: {said}{places} · experiment {one_line(result.experiment.id)}"


def settings_lines(experiment: Experiment) -> Mapping[Arm, str]:
    """Return what each arm is, in one line."""
    return {
        arm: ", ".join(
            f"{one_line(name)}: {one_line(setting_words(value))}"
            for name, value in experiment.arms.get(arm, {}).items()
        )
        or "nothing is set"
        for arm in Arm
    }


def provenance(result: ExperimentResult) -> list[tuple[str, str]]:
    """Return where the numbers come from: the plan, the server, the program, the machine."""
    experiment = result.experiment
    rules = experiment.rules
    looks = ", ".join(f"{look.blocks} blocks ({format_percent(look.alpha)})" for look in rules.looks)
    found = [
        ("experiment", one_line(experiment.id)),
        ("begun", utc(experiment.created_wall_s)),
        ("server", one_line(experiment.base_url)),
        ("model", one_line(model_words(result))),
        ("launcher", one_line(experiment.launcher)),
        ("read back", one_line(_words(dict(experiment.live))) if experiment.live else "nothing declared"),
        ("decides at", f"looks after {looks}; error rate over all {format_percent(rules.alpha)}"),
        ("equivalence", f"within {format_percent(rules.equivalence)}"),
        ("seed", str(experiment.seed)),
        ("trials per visit and cell", str(experiment.workload.trials)),
        ("prompts", _prompts(experiment)),
        ("nodes", ", ".join(map(one_line, experiment.nodes)) or "none named"),
    ]
    return found + _measured(result)


def model_words(result: ExperimentResult) -> str:
    """Return the model that the plan names, else the one that was found and asked, else that it is unknown."""
    runs = (visit.result.run for visit in result.visits if visit.result is not None)
    asked = dict.fromkeys(run.workload.options.model for run in runs)
    return result.experiment.workload.options.model or ", ".join(filter(None, asked)) or UNKNOWN


def _prompts(experiment: Experiment) -> str:
    if experiment.prompts:
        return f"own prompts: {one_line(experiment.prompts)}"
    return f"made from the corpus {one_line(experiment.workload.corpus)}"


def _measured(result: ExperimentResult) -> list[tuple[str, str]]:
    run = next((visit.result.run for visit in result.visits if visit.result is not None), None)
    if run is None:
        return [("measured by", "nothing was measured")]
    from_ = run.provenance
    engines = dict.fromkeys(
        engine_words(visit.result.run.engine) for visit in result.visits if visit.result is not None
    )
    return [
        ("engine", ", ".join(engines)),
        ("measured by", f"sparktune {one_line(from_.tool_version)}, Python {one_line(from_.python)}"),
        ("measured on", f"{one_line(from_.hostname)}, {one_line(from_.machine)}, kernel {one_line(from_.kernel)}"),
        ("command", one_line(" ".join(from_.argv)) or UNKNOWN),
        ("runs", ", ".join(one_line(visit.record.run_id) for visit in result.visits if visit.record.run_id)),
    ]


def _guards(result: ExperimentResult) -> str:
    if not result.guards:
        return "none"
    counts = {status: sum(guard.status is status for guard in result.guards) for status in GuardStatus}
    words = {GuardStatus.OK: "ok", GuardStatus.UNPROVEN: "not shown", GuardStatus.HARMED: "WORSE"}
    return ", ".join(f"{number} {words[status]}" for status, number in counts.items() if number)


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return json.dumps(plain_record({"value": value})["value"], ensure_ascii=False)
