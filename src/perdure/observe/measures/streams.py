"""What is measured of streams: who follows, who lags, and what comes from other replicas."""

from perdure.observe.metrics import Metrics


class StreamMeasures:
    """Open streams, followed chats, answers in flight, and the relay."""

    def __init__(self, metrics: Metrics) -> None:
        self.open = metrics.read_gauge("streams_open", "Streams that clients have open.")
        self.lag = metrics.read_gauge(
            "stream_lag_seconds", "How long the slowest client has not taken what it was sent."
        )
        self.ended = metrics.read_counter("streams_ended", "Streams that ended; `left` is by the client.", "reason")
        self.followed = metrics.read_gauge("chats_followed", "Chats that somebody follows here.")
        self.reads = metrics.read_counter("stream_reads", "Reads of a chat for those who follow it.")
        self.episodes = metrics.read_gauge("episodes_open", "Answers in flight on this replica.")
        self.relayed = metrics.read_gauge("relay_chats", "Followed chats whose parts come from another replica.")
        self.peers = metrics.read_gauge("relay_peers", "Other replicas that parts come from.", "state")
        self.parts = metrics.read_counter("relay_parts", "Parts that came from other replicas.")
