"""What is measured, one module to a part of the system. Names, words and labels are here; who counts is elsewhere."""
