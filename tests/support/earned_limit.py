"""An ``earned.yaml`` for a service ``house``: LIMIT is 2, where 1 was before."""

__all__ = ["EARNED_LIMIT"]

from typing import Any

EARNED_LIMIT: dict[str, Any] = {
    "schema": 1,
    "settings": [
        {
            "knob": "LIMIT",
            "value": {"env": {"LIMIT": "2"}},
            "instead_of": {"env": {"LIMIT": "1"}},
            "scope": {"service": "house"},
            "evidence": {"run": "20260902-aaaa", "date": "2026-09-02"},
        }
    ],
}
