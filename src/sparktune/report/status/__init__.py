"""The front page: where things stand in some ten lines, as JSON, and the next most useful command."""
