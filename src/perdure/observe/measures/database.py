"""What is measured of the database as a replica sees it: connections, commits, notices, what is cached of it."""

from perdure.observe.metrics import Metrics


class DatabaseMeasures:
    """The pool, commits, pubsub and the configuration cache."""

    def __init__(self, metrics: Metrics) -> None:
        self.connections = metrics.read_gauge("pool_connections", "Connections of the pool: idle or used.", "state")
        self.limit = metrics.read_gauge("pool_limit", "Connections that the pool opens at most.")
        self.waiting = metrics.read_gauge("pool_waiting", "Commits and reads of chats that wait for a connection.")
        self.statements = metrics.read_counter("chat_statements", "Statements that read or change a chat's state.")
        self.commits = metrics.counter("commits", "Changes of chats: done, or lost to somebody first.", "result")
        self.commit_seconds = metrics.seconds("commit", "How long the statement of a change takes.")
        self.notices = metrics.read_counter("notices", "Notices between replicas: sent, heard or lost.", "direction")
        self.listening = metrics.read_gauge("pubsub_listening", "1 while notices of other replicas are heard.")
        self.gaps = metrics.read_counter("pubsub_gaps", "Times that notices may have been missed.")
        self.cache_hits = metrics.read_counter("config_cache_hits", "Configuration that was at hand.", "cache")
        self.cache_loads = metrics.read_counter("config_cache_loads", "Configuration that had to be read.", "cache")
