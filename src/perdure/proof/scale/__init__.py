"""The scale test: one stage to a module, each measuring a deployment from outside against bars."""
