"""The vocabulary: frozen types with their invariants, and nothing else."""
