"""From settings to a bucket that can be used."""

import ssl
from collections.abc import Callable

from perdure.core.timing import Clock
from perdure.objects.bucket import Bucket
from perdure.objects.client import ObjectClient
from perdure.objects.signing import Keys, Signer
from perdure.observe.measures.service import ObjectMeasures
from perdure.settings import Settings


def object_client(
    settings: Settings,
    clock: Clock,
    measures: ObjectMeasures,
    *,
    proxy: Callable[[str], str | None] = lambda _: None,
    trusted: ssl.SSLContext | None = None,
) -> ObjectClient | None:
    """A client of the bucket that the settings name; None where they name none."""
    if settings.s3_url is None:
        return None
    bucket = Bucket.parse(settings.s3_url, settings.s3_region)
    keys = Keys.parse(settings.s3_key) if settings.s3_key else None
    signer = Signer(settings.s3_region, keys)
    public = settings.s3_public_url
    return ObjectClient(bucket, signer, clock, measures, proxy=proxy, trusted=trusted, public=public)
