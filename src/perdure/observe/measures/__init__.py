"""What is measured. Names, texts and labels are here; who counts is elsewhere."""
