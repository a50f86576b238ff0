"""A practice cluster: nodes like a GB10, made up from known facts, with faults to find. Pure: trees as text."""
