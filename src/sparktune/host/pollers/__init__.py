"""Threads that poll: their windows of demand, whether there was work, and what that makes of them. Pure."""
