"""Which attempts at a step stand against a chat: after so many of them it gives up."""

from perdure.core.errors import Fenced, Unavailable
from perdure.core.timing import ATTEMPT_LIMIT


def counts(ended: BaseException, *, moved: bool) -> bool:
    """Whether an attempt that came to nothing may be the fault of the model, of a tool or of the chat itself.

    A database that was away is nobody's, and neither is a row that somebody moved. A fence that does not hold although
    the row stayed as it was is ours, and must come to an end.
    """
    match ended:
        case Unavailable():
            return False
        case Fenced():
            return not moved
        case _:
            return True


def exhausted(made: int, *, excused: int) -> bool:
    """Whether there may be no further attempt at the same history."""
    return made - excused >= ATTEMPT_LIMIT
