"""Colours by role, for light and for dark, as CSS variables and as rules for classes of a picture.

Orange goes with arm A and with a worse B, blue with arm B and with a better B: a pair that people who do not see red or
green tell apart. No colour says what no word, sign or shape says too.
"""

__all__ = ["DARK", "HEAT_STEPS", "LIGHT", "heat_class", "rules", "variables"]

import math
from collections.abc import Mapping

HEAT_STEPS = 5
LIGHT: Mapping[str, str] = {
    "bg": "#f6f7f9",
    "surface": "#ffffff",
    "ink": "#16191d",
    "muted": "#565f6a",
    "line": "#c9ced6",
    "grid": "#e6e9ee",
    "a": "#a8480a",
    "b": "#1659b8",
    "a-soft": "#f6d6bb",
    "b-soft": "#c9dcf7",
    "wait": "#aab2bd",
    "ok": "#17692f",
    "warn": "#855800",
    "bad": "#b3232a",
    "h-n5": "#f3a868",
    "h-n4": "#f6b984",
    "h-n3": "#f8caa2",
    "h-n2": "#fadbc0",
    "h-n1": "#fcecdf",
    "h-0": "#f0f2f5",
    "h-1": "#e2ecfa",
    "h-2": "#c8dbf6",
    "h-3": "#adcaf2",
    "h-4": "#92b9ee",
    "h-5": "#78a8ea",
}
DARK: Mapping[str, str] = {
    "bg": "#0f1216",
    "surface": "#171b21",
    "ink": "#eef1f5",
    "muted": "#a7b0bc",
    "line": "#3d4550",
    "grid": "#272d36",
    "a": "#f2a35e",
    "b": "#78b4ff",
    "a-soft": "#5a3416",
    "b-soft": "#1f3f6b",
    "wait": "#5b6572",
    "ok": "#67cf86",
    "warn": "#e6b450",
    "bad": "#ff8a85",
    "h-n5": "#8a4a12",
    "h-n4": "#754013",
    "h-n3": "#603715",
    "h-n2": "#4b2e18",
    "h-n1": "#37261b",
    "h-0": "#242a32",
    "h-1": "#1d2c42",
    "h-2": "#1f3757",
    "h-3": "#21436c",
    "h-4": "#224f82",
    "h-5": "#245b98",
}
_ROLES = ("ink", "muted", "line", "grid", "surface", "a", "b", "a-soft", "b-soft", "wait", "ok", "warn", "bad")
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif"


def variables(theme: Mapping[str, str]) -> str:
    """Return a theme as declarations of CSS variables."""
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def rules(theme: Mapping[str, str] | None = None, *, within: str = ".sv") -> str:
    """Return the rules for the classes of a picture: by variables, or with the colours of a theme written out."""

    def colour(name: str) -> str:
        return theme[name] if theme is not None else f"var(--{name})"

    heat = "".join(
        f"{within} .{name}{{fill:{colour(name)}}}{within} .on-{name}{{stroke:{colour(name)}}}"
        for name in (_heat_name(step) for step in range(-HEAT_STEPS, HEAT_STEPS + 1))
    )
    fills = "".join(
        f"{within} .f-{name}{{fill:{colour(name)}}}{within} .s-{name}{{stroke:{colour(name)}}}" for name in _ROLES
    )
    return (
        f"{within} text{{font-family:{_FONT};font-size:12px;fill:{colour('ink')}}}"
        f"{within} .t-muted{{fill:{colour('muted')}}}{within} .t-small{{font-size:11px}}"
        f"{within} .t-bold{{font-weight:600}}{within} .t-end{{text-anchor:end}}{within} .t-mid{{text-anchor:middle}}"
        f"{within} .none{{fill:none}}{within} .dash{{stroke-dasharray:4 3}}{within} .dot{{stroke-dasharray:1.5 3}}"
        f"{within} .halo{{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}}"
        f"{within} .w2{{stroke-width:2}}{within} .w3{{stroke-width:3}}{within} .soft{{opacity:.55}}"
        f"{fills}{heat}"
    )


def heat_class(ratio: float, limit: float) -> str:
    """Return the class of a cell by its log ratio; from ``limit`` on the colour stays the same."""
    share = max(-1.0, min(1.0, ratio / limit))
    step = math.floor(abs(share) * HEAT_STEPS + 0.5)
    return _heat_name(step if share > 0 else -step)


def _heat_name(step: int) -> str:
    return f"h-{'n' if step < 0 else ''}{abs(step)}"
