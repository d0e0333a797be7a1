"""The `perdure` command. One module to a command, imported when it is used."""
