"""``sparktune watch`` as a screen with keys, on Textual; nothing else may import this, it is an extra."""

__all__: list[str] = []
