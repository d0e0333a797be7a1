"""What is counted of streams: each gauge is read from whoever keeps the number anyway."""

from perdure.live.episodes import Episodes
from perdure.observe.measures.service import StreamMeasures
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.relay.relay import Relay


def observe_streams(
    measures: StreamMeasures, *, hubs: Hubs, open_streams: OpenStreams, relay: Relay, episodes: Episodes
) -> None:
    measures.open.read = lambda: len(open_streams)
    measures.lag.read = open_streams.lag
    measures.ended.read = lambda: open_streams.ended
    measures.followed.read = lambda: len(hubs)
    measures.reads.read = lambda: hubs.reads
    measures.episodes.read = lambda: sum(not episode.closed for episode in episodes.all())
    measures.relayed.read = lambda: len(relay)
    measures.peers.read = relay.peers
    measures.parts.read = lambda: relay.parts
