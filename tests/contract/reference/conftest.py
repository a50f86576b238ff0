"""Fixtures of the reference server's own tests."""

from tests.support.reference import reference, reference_process

__all__ = ["reference", "reference_process"]
