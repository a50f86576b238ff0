"""One file per metric; each exports ``METRIC``."""
