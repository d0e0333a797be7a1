"""What a runner does about one state of its chat. Each duty ends with a commit."""
