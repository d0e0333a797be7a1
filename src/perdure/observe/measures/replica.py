"""What is measured of a replica as one of several: what it drives, how it came to it, and its lease."""

from perdure.observe.metrics import Metrics


class ReplicaMeasures:
    """Chats that this replica drives, and its right to them."""

    def __init__(self, metrics: Metrics) -> None:
        self.running = metrics.read_gauge("chats_running", "Chats that this replica drives.")
        self.capacity = metrics.read_gauge("chats_capacity", "Chats that it may drive at once.")
        self.acquisitions = metrics.counter(
            "acquisitions",
            "Chats that were taken: with their message, by a sweep, or from a dead replica.",
            "how",
        )
        self.acquisition_seconds = metrics.seconds(
            "acquisition", "How long a chat that nobody drove had waited when a sweep took it."
        )
        self.failover_seconds = metrics.seconds(
            "failover", "From the last sign of life of a replica to another one having taken its chat."
        )
        self.lease = metrics.read_gauge("lease_held", "1 while this replica may act for its chats.")
        self.alive = metrics.read_gauge("replicas_alive", "Replicas that live, as far as this one knows.")
        self.renewals = metrics.read_counter("lease_renewals", "Renewals of the lease: ok, failed or lost.", "result")
        self.loop_lag = metrics.read_gauge("loop_lag_seconds", "How late the event loop came back when last looked at.")
