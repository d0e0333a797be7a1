"""The words of the system, as types. No I/O."""
