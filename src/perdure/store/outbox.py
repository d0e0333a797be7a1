"""Whether anybody wants to be told anything: where nobody does, a commit costs nothing more for it."""


class Outbox:
    """Known in memory, and looked up again every second and whenever a webhook changes. A replica that starts writes
    everything down until it has looked: what it commits before would never be told.

    A webhook is told everything from a few seconds after it was made: by then every replica knows of it, or its lease
    has ended.
    """

    def __init__(self) -> None:
        self.wanted = False
