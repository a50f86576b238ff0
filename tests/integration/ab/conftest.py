"""Experiments on the reference server: one of our own per arm, or one that a script of ours switches."""

from tests.support.reference import reference, reference_process

__all__ = ["reference", "reference_process"]
