"""Following chats: one cursor over the rows, plus the parts of the answer in flight."""
