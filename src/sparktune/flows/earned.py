"""Settings that were earned: judged against what runs, and what else was measured of them."""

__all__ = ["judge_all", "measured_on", "running_image", "running_images", "running_of"]

from collections.abc import Callable, Sequence

from sparktune.drift.earned_keys import is_called, names_of
from sparktune.drift.stale import Judged, Running, image_of, judged, runs_images
from sparktune.errors import StoreError
from sparktune.io.config import Config, ServiceConfig
from sparktune.io.drift.service import DriftTargets, read_parts
from sparktune.io.store.faults import Unreadable
from sparktune.io.store.store import Store
from sparktune.io.together import together
from sparktune.io.transport.shared import SharedNodes
from sparktune.model.drift import ServicePlace
from sparktune.model.earned import EarnedEntry
from sparktune.model.experiment_row import ExperimentRow


def judge_all(
    entries: Sequence[EarnedEntry], running: Callable[[EarnedEntry], Running], store: Store
) -> tuple[Judged, ...]:
    """Return every entry with what is known of its evidence; a run that the store has tells how it was started."""
    return tuple(judged(entry, running(entry), *_typed(store, entry)) for entry in entries)


def running_of(
    entry: EarnedEntry,
    config: Config | None,
    *,
    today: str,
    max_age_days: float | None,
    image_digest: str | None = None,
) -> Running:
    """Return what is known of the service of an entry: what ``sparktune.yaml`` says it is, and the image as seen."""
    service = _service(entry, config)
    return Running(
        image_digest=image_digest,
        model=service.model if service else None,
        revision=service.pins.get("revision") if service else None,
        launcher=service.launcher if service else None,
        today=today,
        max_age_days=max_age_days,
    )


async def running_image(place: ServicePlace, targets: DriftTargets) -> str | None:
    """Return the image that runs on every node of a service; None for one without, and where it cannot be told."""
    (image,) = await running_images([(place, targets)])
    return image


async def running_images(services: Sequence[tuple[ServicePlace, DriftTargets]]) -> tuple[str | None, ...]:
    """Return as ``running_image`` does for each of several services, each node asked over one agent for all."""
    async with SharedNodes() as nodes:
        return await together(*(_image(place, targets, nodes) for place, targets in services))


def measured_on(
    store: Store, key: str, entries: Sequence[EarnedEntry], limit: int, unreadable: Unreadable
) -> tuple[ExperimentRow, ...]:
    """Return the newest experiments of the store on a setting, by any of its names; all for ""."""
    names = {key, *(name for entry in entries for name in names_of(entry))}
    rows = store.list_experiments(limit, unreadable)
    return tuple(row for row in rows if not key or any(is_called(row.knob, name) for name in names))


async def _image(place: ServicePlace, targets: DriftTargets, nodes: SharedNodes) -> str | None:
    if not runs_images(place.launcher):
        return None
    return image_of(await read_parts(place, targets, nodes))


def _service(entry: EarnedEntry, config: Config | None) -> ServiceConfig | None:
    if config is None or entry.scope.service is None:
        return None
    named = config.services.get(entry.scope.service)
    return named or next((one for one in config.services.values() if one.endpoint == entry.scope.service), None)


def _typed(store: Store, entry: EarnedEntry) -> tuple[tuple[str, ...], str]:
    """Return the words of the command that earned an entry, and its folder; nothing where the store has no such run."""
    try:
        experiment = store.load_experiment(entry.evidence.run) if entry.evidence.run else None
        if experiment is None or experiment.id != entry.evidence.run:
            return (), ""
        runs = (store.load_run(visit.run_id) for visit in store.visits(experiment.id) if visit.run_id)
        typed = next((run.provenance.argv for run in runs), ())
    except StoreError:
        return (), ""
    return typed, experiment.folder
