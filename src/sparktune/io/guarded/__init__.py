"""What a guard runs and ends: a command and its process group, an engine by its own ids, an endpoint that is asked."""
