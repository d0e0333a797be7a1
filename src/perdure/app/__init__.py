"""The one place that names every part: what a replica is made of, and how it is put together."""
