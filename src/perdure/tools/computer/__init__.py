"""Using a screen: the provider describes the tool to its model, a runner in the workspace carries the actions out."""
