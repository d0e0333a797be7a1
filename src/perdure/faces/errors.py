"""What can be wrong with a request in any protocol."""

from perdure.core.errors import NotFound, Refused


class NoModel(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no model {name!r} here.")


class StillAnswering(Refused):
    def __init__(self) -> None:
        super().__init__("This conversation is still being answered. Wait for it, or stop the answer that runs.")
