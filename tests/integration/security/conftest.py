"""The reference server."""

from tests.support.reference import reference, reference_process

__all__ = ["reference", "reference_process"]
