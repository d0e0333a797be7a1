"""Tools that come from elsewhere: servers that speak the Model Context Protocol."""
