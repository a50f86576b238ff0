"""Hosts for the system tests."""

from tests.support.hosts import hosts

__all__ = ["hosts"]
