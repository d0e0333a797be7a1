"""Everything that can go wrong with a model call: met raw, classified once, told in words fit for people."""
