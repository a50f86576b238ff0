"""The way to a node: the agent in a child process, over ssh, or on a captured tree."""
