"""The same models in other houses: Azure, Vertex and Bedrock, with their paths, their keys and their framing."""
