"""What OpenAI's two wire formats share: the wording of its errors and its images."""
