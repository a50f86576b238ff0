"""Search among settings with few, expensive visits: screening, a race, and one winner to confirm."""

__all__ = ["estimates", "next_task", "typical_visit_s", "visits_left"]

from sparktune.experiment.search.estimates import estimates
from sparktune.experiment.search.record import typical_visit_s
from sparktune.experiment.search.task import next_task, visits_left
