"""The proxy that passes traffic on untouched, and the process beside it that writes down its shape."""
