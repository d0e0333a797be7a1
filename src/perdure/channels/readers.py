"""What reads the deliveries of each channel, and what posts to it."""

from collections.abc import Awaitable, Callable, Mapping

from perdure.channels.github import post_github, read_github
from perdure.channels.inbound import Inbound
from perdure.channels.posts import Destination, Post
from perdure.channels.slack import post_slack, read_slack
from perdure.config.triggers import Channel
from perdure.core.payload import Payload
from perdure.worker.webhooks import Http

READERS: Mapping[Channel, Callable[[Payload, str], Inbound | None]] = {
    Channel.GITHUB: read_github,
    Channel.SLACK: read_slack,
}
POSTERS: Mapping[Channel, Callable[[Destination, Post, Http], Awaitable[tuple[int | None, str]]]] = {
    Channel.GITHUB: post_github,
    Channel.SLACK: post_slack,
}
