"""Replacing old history by a summary, in stages that always end and always fit."""
