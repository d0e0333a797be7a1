"""HTTP: every route is the sentence it implements."""
