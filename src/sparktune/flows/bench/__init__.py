"""What a measurement does: prompts, waves, their order, what is told meanwhile."""
