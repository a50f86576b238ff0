"""The part that runs on a node: standard library only, Python 3.10 or newer, imports nothing else of sparktune."""
