"""Why the agent does not do what it was asked; the word and the sentence go over the wire."""

__all__ = ["BUSY", "COMMAND", "JOURNAL", "REQUEST", "ROOT", "TRANSACTION", "VOID", "Refused"]

BUSY = "busy"
COMMAND = "command"
JOURNAL = "journal"
REQUEST = "request"
ROOT = "root"
TRANSACTION = "transaction"
VOID = "void"


class Refused(Exception):
    """``kind`` is one of the errors that ``protocol.py`` names for the verbs that change a node or run a command."""

    def __init__(self, kind: str, message: str) -> None:
        """Keep the word apart from the sentence."""
        super().__init__(message)
        self.kind = kind
