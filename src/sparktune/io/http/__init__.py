"""All HTTP but the load itself: asking a server who it is, counting tokens, reading its metrics."""
