"""The practice service."""

from tests.support.lab_service import lab_service

__all__ = ["lab_service"]
