"""What ``sparktune host`` shows: a plan, what was done, what is so, what was taken back; for people and as JSON."""

__all__ = [
    "Look",
    "apply_text",
    "confirm_text",
    "give_up_text",
    "host_json",
    "plan_text",
    "revert_text",
    "status_text",
    "to_give_up_text",
    "verify_text",
]

from sparktune.report.host.apply import apply_text, confirm_text
from sparktune.report.host.give_up import give_up_text, to_give_up_text
from sparktune.report.host.json import host_json
from sparktune.report.host.layout import Look
from sparktune.report.host.plan import plan_text
from sparktune.report.host.revert import revert_text
from sparktune.report.host.status import status_text
from sparktune.report.host.verify import verify_text
