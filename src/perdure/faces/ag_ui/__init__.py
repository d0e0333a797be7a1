"""AG-UI: the protocol between agents and the pages that show them."""
