"""How families of APIs speak: encode a request, decode its events. No I/O, no vendor's key."""
