"""What the checker says about an answer: `Correct`, `Wrong`, or `Invalid`, which costs nothing."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Correct(NamedTuple):
    """The answer is right."""

    message: str
    """One or more plain sentences."""
    read_as: str = ""
    """How the text was read, in Unicode maths on one line."""
    value: str = ""
    """The answer's value at the question's numbers, in the question's unit; empty where there are none."""

    @property
    def outcome(self) -> Literal["correct"]:
        return "correct"


class Wrong(NamedTuple):
    """The answer can be read and is not right. `message` says what is known about the mistake."""

    message: str
    read_as: str = ""
    value: str = ""
    misconception: int | None = None
    """Index of the question's misconception that the answer shows."""

    @property
    def outcome(self) -> Literal["wrong"]:
        return "wrong"


class Invalid(NamedTuple):
    """The answer cannot be judged as it stands; `message` says what to change."""

    message: str
    read_as: str = ""
    value: str = ""
    at: int | None = None
    """0-based column of the typed text that the message speaks of."""

    @property
    def outcome(self) -> Literal["invalid"]:
        return "invalid"


Verdict = Correct | Wrong | Invalid


class Refusal(ValueError):
    """A text that cannot be read or evaluated; becomes an `Invalid`.

    Args:
        message: what to change, in plain sentences.
        at: 0-based column of the text that was read.
    """

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
