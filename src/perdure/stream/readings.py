"""Where the numbers about streams are that somebody keeps anyway."""

from perdure.live.episodes import Episodes
from perdure.observe.measures.streams import StreamMeasures
from perdure.stream.hubs import Hubs
from perdure.stream.relay.relay import Relay
from perdure.stream.visitors import Visitors


def read_streams(measures: StreamMeasures, *, hubs: Hubs, visitors: Visitors, relay: Relay, episodes: Episodes) -> None:
    measures.open.read = lambda: len(visitors)
    measures.lag.read = visitors.lag
    measures.ended.read = lambda: visitors.ended
    measures.followed.read = lambda: len(hubs)
    measures.reads.read = lambda: hubs.reads
    measures.episodes.read = lambda: sum(not episode.closed for episode in episodes.all())
    measures.relayed.read = lambda: len(relay)
    measures.peers.read = relay.peers
    measures.parts.read = lambda: relay.parts
