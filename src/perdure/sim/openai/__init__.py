"""What OpenAI's two wire formats share: the voice of its errors and its images."""
