"""Engines' logs, read line by line: what they tell, what their messages mean, and which failure came first. Pure."""
