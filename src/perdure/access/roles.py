"""What those may do with whom a chat is shared. Each role may do what those before it may."""

from enum import StrEnum


class ShareRole(StrEnum):
    READ = "read"
    WRITE = "write"
    """Send messages, steer, stop."""
    APPROVE = "approve"
    """Decide about calls, besides."""

    def covers(self, wanted: "ShareRole") -> bool:
        order = list(ShareRole)
        return order.index(self) >= order.index(wanted)
