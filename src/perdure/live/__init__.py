"""What lives only in memory: the parts of answers in flight, and what is stored of them in case of a crash."""
