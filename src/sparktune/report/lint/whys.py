"""Why a finding of lint matters: the reasons of all rules, those of ``doctor`` that judge files too."""

__all__ = ["whys"]

from sparktune.deploy.rules import all_rules
from sparktune.host.findings import all_rules as all_findings


def whys() -> dict[str, str]:
    """Return the reason of each rule by its id."""
    return {rule.id: rule.why for rule in all_findings()} | {rule.id: rule.why for rule in all_rules()}
