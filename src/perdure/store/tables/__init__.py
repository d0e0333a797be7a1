"""Queries as typed functions: one module to a table or a noun, its SQL beside it in blocks of the same names."""
