"""What is running while somebody looks: it is said to run, and nobody is sent to resume it."""

import os

import pytest
from tests.support.stored_experiment import store_experiment

from sparktune.flows.status import stored_verdicts
from sparktune.io.store import Store
from sparktune.io.store.owner import owned


def test_what_a_living_process_works_on_is_running_and_left_nothing() -> None:
    """Resuming it beside itself would be refused, and LEFT SOMETHING SET frightens who looks at a night's run."""
    with Store.open() as store:
        plan = store_experiment(store)
        with owned(store.path, plan.id):
            (running,) = [one for one in stored_verdicts(store, "", pytest.fail) if one.kind == "ab"]
        (ended,) = [one for one in stored_verdicts(store, "", pytest.fail) if one.kind == "ab"]

    assert running.owner.startswith(f"pid {os.getpid()} on ")
    assert ended.owner == ""
