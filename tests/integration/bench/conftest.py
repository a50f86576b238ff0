"""The reference server, whose write log is the truth."""

from tests.support.reference import reference, reference_process

__all__ = ["reference", "reference_process"]
