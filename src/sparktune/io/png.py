"""PNG from SVG, by an optional part: resvg, a renderer without a browser.

Source: resvg-py 0.5 (MIT; wheels for x86_64 and aarch64, 1.4 MB), a binding of resvg. It reads no CSS variables and no
media queries, so that a picture comes to it with its colours written out.
"""

__all__ = ["png_from_svg"]

from sparktune.errors import MissingPart
from sparktune.io.extras import install_command

_PIXELS = 2.0  # per unit of the picture: sharp where it is pasted


def png_from_svg(svg: str) -> bytes:
    """Return a picture as PNG. Raises MissingPart when the renderer is not installed."""
    try:
        import resvg_py  # noqa: PLC0415 - an optional part
    except ImportError as error:
        message = "PNG needs a renderer that is not installed: resvg-py"
        hint = f"run: {install_command('png')} (1.4 MB); SVG needs nothing: --format svg"
        raise MissingPart(message, hint=hint) from error
    rendered: bytes = resvg_py.svg_to_bytes(svg_string=svg, zoom=_PIXELS)
    return bytes(rendered)
