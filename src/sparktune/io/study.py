"""A study that several sweeps share, in SQLite or PostgreSQL: it proposes configurations, and is told their results.

What it proposes is visited, raced and confirmed as everything else: it saves visits where knobs are many, and decides
nothing. Source: Optuna's ask-and-tell interface (``Study.ask`` with fixed distributions, ``Study.tell``).
"""

__all__ = ["SharedStudy", "shown_address"]

import contextlib
import hashlib
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

from sparktune.errors import MissingPart, SparktuneError, StoreError, UsageError
from sparktune.io.extras import install_command
from sparktune.model.study import Learned, StudySpace
from sparktune.redact import redact_text

_ADDRESS: Final = re.compile(r"(?P<kind>sqlite|postgresql)(?:\+\w+)?://(?P<rest>.+)", re.DOTALL)
_DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
_TRIES: Final = 4  # proposals that are looked at for each one that is wanted, since many are known already
_USER: Final = re.compile(r"//[^/@]*@")


class SharedStudy:
    """Proposals and results of one space; several processes may work on it at once."""

    def __init__(self, optuna: Any, storage: Any, study: Any, space: StudySpace, sweep: str) -> None:  # noqa: ANN401
        """Keep what ``open`` made of Optuna's."""
        self._optuna, self._storage, self._study = optuna, storage, study
        self._space, self._sweep = space, sweep
        self._distributions = {
            knob: optuna.distributions.CategoricalDistribution(values) for knob, values in space.choices.items()
        }

    @classmethod
    def open(cls, address: str, space: StudySpace, sweep: str) -> Self:
        """Open the study of a space, or begin it; ``sweep`` is the id under which results are told.

        Raises MissingPart without Optuna, UsageError for an address that is none, StoreError when it cannot be opened.
        """
        match = _ADDRESS.fullmatch(address)
        if match is None:
            message = f"--study {shown_address(address)!r} is no address of a study"
            raise UsageError(message, hint="sqlite:///study.db, or postgresql://USER@HOST/DATABASE")
        optuna = _optuna()
        with _told(address):
            # A database in SQL_ASCII, as initdb makes it in the C locale, would answer with bytes
            utf8 = {"client_encoding": "utf8"} if match["kind"] == "postgresql" else {}
            storage = optuna.storages.RDBStorage(
                f"{_DRIVERS[match['kind']]}://{match['rest']}", engine_kwargs={"connect_args": utf8}
            )
            # Two sweeps that begin at once are to be proposed different ones: each has a seed by its own id
            seed = int.from_bytes(hashlib.sha256(sweep.encode()).digest()[:4])
            sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
            study = optuna.create_study(
                storage=storage, study_name=space.name, direction="maximize", sampler=sampler, load_if_exists=True
            )
        return cls(optuna, storage, study, space, sweep)

    def close(self) -> None:
        """Let the database go."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    def __enter__(self) -> Self:
        """Return the study."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def ask(self, count: int, planned: Sequence[Mapping[str, str]] = ()) -> tuple[Mapping[str, str], ...]:
        """Return up to ``count`` configurations that nobody has tried yet; each is kept for this sweep until told.

        ``planned`` are those that the sweep has already.
        """
        taken = {_key(values) for values in (self._space.baseline, *planned, *self._known())}
        found: list[Mapping[str, str]] = []
        with _told("the study"):
            for _ in range(count * _TRIES):
                if len(found) == count:
                    break
                trial = self._study.ask(fixed_distributions=self._distributions)
                values = {knob: str(value) for knob, value in trial.params.items()}
                if _key(values) in taken:
                    self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
                    continue
                trial.set_user_attr("sweep", self._sweep)
                taken.add(_key(values))
                found.append(values)
        return tuple(found)

    def tell(self, learned: Sequence[Learned]) -> int:
        """Tell what this sweep came to, and give back what it was proposed and did not try; return how many were told.

        What was told before is not told again, so that a sweep may do so as often as it is resumed.
        """
        state = self._optuna.trial.TrialState
        results = {_key(one.values): one for one in learned}
        told = 0
        with _told("the study"):
            own = [one for one in self._study.get_trials(deepcopy=False) if one.user_attrs.get("sweep") == self._sweep]
            for trial in own:
                result = results.pop(_key(trial.params), None)
                if trial.state is not state.RUNNING:
                    continue
                told += result is not None and (result.log_ratio is not None or bool(result.failed))
                self._end(trial, result)
            for result in results.values():
                told += self._add(result)
        return told

    def _known(self) -> Iterator[Mapping[str, str]]:
        state = self._optuna.trial.TrialState
        for trial in self._study.get_trials(deepcopy=False, states=(state.COMPLETE, state.PRUNED, state.RUNNING)):
            yield {knob: str(value) for knob, value in trial.params.items()}

    def _end(self, trial: Any, result: Learned | None) -> None:  # noqa: ANN401 - a trial of Optuna's
        state = self._optuna.trial.TrialState
        if result is not None and result.log_ratio is not None:
            self._study.tell(trial.number, result.log_ratio)
        else:  # what was tried and did not run counts against its like; what was not tried says nothing
            self._study.tell(trial.number, state=state.PRUNED if result is not None and result.failed else state.FAIL)

    def _add(self, result: Learned) -> bool:
        if result.log_ratio is None and not result.failed:
            return False
        state = self._optuna.trial.TrialState
        self._study.add_trial(
            self._optuna.trial.create_trial(
                params=dict(result.values),
                distributions=self._distributions,
                value=result.log_ratio,
                state=state.PRUNED if result.log_ratio is None else state.COMPLETE,
                user_attrs={"sweep": self._sweep, "key": result.key},
            )
        )
        return True


def shown_address(address: str) -> str:
    """Return an address without the name and password in it."""
    return redact_text(_USER.sub("//", address))


def _optuna() -> Any:  # noqa: ANN401 - the module
    try:
        optuna = importlib.import_module("optuna")
        importlib.import_module("psycopg")
    except ImportError as error:
        message = f"a shared study needs Optuna, and {error.name} is not installed"
        raise MissingPart(message, hint=f"run: {install_command('study')}") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


@contextlib.contextmanager
def _told(address: str) -> Iterator[None]:
    """Tell a failure of the database in one line, without its address' password."""
    try:
        yield
    except SparktuneError:
        raise
    except Exception as error:  # SQLAlchemy, its drivers and Optuna have no error in common
        why = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        message = f"{shown_address(address)} does not work: {shown_address(why)}"
        hint = "is it there, and may you write? without --study the sweep runs as well"
        raise StoreError(message, hint=hint) from error


def _key(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((knob, str(value)) for knob, value in values.items()))
