"""One file per source of facts; each exports ``SOURCE`` and its own facts type."""
