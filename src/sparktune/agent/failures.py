"""What a step cannot do, in words for people."""

__all__ = ["SomethingElse", "StepFailed"]


class StepFailed(Exception):
    """A step cannot look at, do or put back something; the text says what and why."""


class SomethingElse(StepFailed):
    """What is at an item's place is nothing that a step of this kind leaves there: a folder in the place of a file.

    ``found`` says in a few words what it is. Whoever was to put something back there leaves it: it is somebody else's.
    """

    def __init__(self, message: str, found: str) -> None:
        """Keep the words apart from the sentence."""
        super().__init__(message)
        self.found = found
