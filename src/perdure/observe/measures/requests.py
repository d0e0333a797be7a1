"""What is measured of requests: how many, how long, how they were answered."""

from perdure.observe.metrics import Metrics


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
