"""What travels: the bodies that are read and the answers that are sent."""
