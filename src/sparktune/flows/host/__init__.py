"""What ``host`` does on one node and on many."""
