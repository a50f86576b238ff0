"""What was earned, what files say, what the engine said and what is live, beside each other: where they part. Pure."""
