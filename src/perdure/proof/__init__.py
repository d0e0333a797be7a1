"""Claims as commands: the chaos test and the scale test. They know the product only from outside."""
