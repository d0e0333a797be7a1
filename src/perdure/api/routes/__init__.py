"""The routes, one file for each thing that people name."""
