"""What sparkrun starts: how its containers are recognised, and how they are given cores.

Source: https://github.com/spark-arena/sparkrun 0.4.2: its containers have labels ``sparkrun.*``; recipes have no key
for a cpuset (``defaults: cpuset_cpus`` is dropped with a warning); ``run --executor-args`` is handed to ``docker run``,
and is in neither its job files nor its exported recipes, so that the next launch knows nothing of it.
"""

__all__ = ["executor_arguments", "is_sparkrun"]

from sparktune.host.facts.containers import Container

_LABEL = "sparkrun."


def is_sparkrun(container: Container) -> bool:
    """Whether sparkrun started a container."""
    return any(name.startswith(_LABEL) for name in container.labels)


def executor_arguments(cpus: str, parent: str = "") -> str:
    """Return the option that gives a workload cores, and a control group where one is wanted."""
    group = f" --cgroup-parent {parent}" if parent else ""
    return f'--executor-args "--cpuset-cpus {cpus}{group}"'
