"""Writers of a bench's result, one file per form, and the words that all reports share; nothing is loaded here."""

__all__: list[str] = []
