"""What is measured of a replica as a service: itself, its database, requests, streams and workspaces."""

from perdure.observe.metrics import Metrics


class ReplicaMeasures:
    """Chats that this replica drives, and its right to them."""

    def __init__(self, metrics: Metrics) -> None:
        self.running = metrics.read_gauge("chats_running", "Chats that this replica drives.")
        self.capacity = metrics.read_gauge("chats_capacity", "Chats that it may drive at once.")
        self.waiting = metrics.read_gauge(
            "chats_waiting", "Chats that wait for any replica with room, as this one last saw; at most 500."
        )
        self.load = metrics.read_gauge(
            "chats_load", "Chats that this replica drives, and its part of those that wait, for each that it may drive."
        )
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


class DatabaseMeasures:
    """The pool, commits, pubsub and the configuration cache."""

    def __init__(self, metrics: Metrics) -> None:
        self.connections = metrics.read_gauge("pool_connections", "Connections of the pool: idle or used.", "state")
        self.limit = metrics.read_gauge("pool_limit", "Connections that the pool opens at most.")
        self.waiting = metrics.read_gauge("pool_waiting", "Statements that wait for a connection.")
        self.statements = metrics.read_counter("chat_statements", "Statements that read or change a chat's state.")
        self.commits = metrics.counter("commits", "Changes of chats: done, or lost to somebody first.", "result")
        self.commit_seconds = metrics.seconds("commit", "How long the statement of a change takes.")
        self.lost_histories = metrics.counter(
            "lost_histories", "Chats of which a failover lost changes that this replica had seen committed."
        )
        self.notices = metrics.read_counter("notices", "Notices between replicas: sent, heard or lost.", "direction")
        self.listening = metrics.read_gauge("pubsub_listening", "1 while notices of other replicas are heard.")
        self.gaps = metrics.read_counter("pubsub_gaps", "Times that notices may have been missed.")
        self.cache_hits = metrics.read_counter("config_cache_hits", "Configuration that was at hand.", "cache")
        self.cache_loads = metrics.read_counter("config_cache_loads", "Configuration that had to be read.", "cache")


class RequestMeasures:
    """Counts by route as it is written in the table, never by path."""

    def __init__(self, metrics: Metrics) -> None:
        self._requests = metrics.counter(
            "http_requests", "Requests by route and status; the route is `none` where there is none.",
            "method", "route", "status",
        )  # fmt: skip
        self._seconds = metrics.seconds("http_request", "How long answering took.", "method", "route")

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)


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


class ObjectMeasures:
    """Files in object storage: requests, and what waits to be stored."""

    def __init__(self, metrics: Metrics) -> None:
        self._requests = metrics.counter(
            "object_requests", "Requests to object storage: done or failed.", "operation", "outcome"
        )
        self._seconds = metrics.seconds("object_request", "How long object storage took to answer.", "operation")
        self._moved = metrics.counter("object_bytes_moved", "Bytes of files that moved into object storage.")
        self._removed = metrics.counter(
            "objects_removed", "Objects that were removed: no file used them, or nobody knew them.", "why"
        )
        self._files = metrics.gauge("object_files_waiting", "Files in the database that belong into object storage.")
        self._bytes = metrics.gauge("object_bytes_waiting", "Their bytes.")
        self._away = metrics.gauge("object_storage_away", "1 while object storage does not do what is asked of it.")

    def asked(self, operation: str, outcome: str, seconds: float) -> None:
        self._requests.labels(operation, outcome).inc()
        self._seconds.labels(operation).observe(seconds)

    def moved(self, size: int) -> None:
        self._moved.inc(size)

    def removed(self, why: str, count: int) -> None:
        self._removed.labels(why).inc(count)

    def waiting(self, files: int, size: int) -> None:
        self._files.set(files)
        self._bytes.set(size)

    def away(self, *, away: bool) -> None:
        self._away.set(away)


class WorkspaceMeasures:
    """Counts what this replica does with workspaces."""

    def __init__(self, metrics: Metrics) -> None:
        self._built = metrics.counter("workspaces_built", "Workspaces made from a template: ok or failed.", "outcome")
        self._build = metrics.seconds("workspace_build", "How long making a workspace took.")
        self._opened = metrics.seconds("workspace_open", "How long reaching a workspace took, its start included.")
        self._stopped = metrics.counter("workspaces_stopped", "Workspaces stopped: asked or idle.", "why")
        self._quiet = metrics.seconds("workspace_quiet", "From a stop until nothing of a command ran any more.")
        self._requests = metrics.counter(
            "workspace_requests", "Requests of workspaces with a network by permission: allowed or refused.", "verdict"
        )
        self.terminals = metrics.gauge("terminals_open", "Terminals that somebody looks at now.")
        self.watched = metrics.gauge("workspaces_watched", "Workspaces whose git state and context are watched now.")

    def built(self, seconds: float, *, failed: bool) -> None:
        self._built.labels("failed" if failed else "ok").inc()
        self._build.observe(seconds)

    def opened(self, seconds: float) -> None:
        self._opened.observe(seconds)

    def stopped(self, why: str) -> None:
        self._stopped.labels(why).inc()

    def requests(self, *, allowed: int, refused: int) -> None:
        self._requests.labels("allowed").inc(allowed)
        self._requests.labels("refused").inc(refused)

    def quiet(self, seconds: float) -> None:
        self._quiet.observe(seconds)
