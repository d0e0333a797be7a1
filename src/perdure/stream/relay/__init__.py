"""Parts of answers, carried from the replica that makes them to those whose clients follow them."""
