"""What begins chats when nobody asks: time that passes, and programs elsewhere."""
