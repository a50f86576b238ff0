"""Real traffic: its shape read from what passes between client and server, written to a trace, read again."""
