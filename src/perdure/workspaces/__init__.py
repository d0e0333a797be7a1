"""Where tools act: the driver contract, local, docker, kubernetes and ssh, and the client of the program inside."""
