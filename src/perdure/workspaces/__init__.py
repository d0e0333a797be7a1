"""Where tools act: the driver contract, local, docker and ssh, and the client of the program inside."""
