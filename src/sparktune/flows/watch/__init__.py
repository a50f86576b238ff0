"""What ``watch`` does: samples of nodes, and what is asked besides."""
