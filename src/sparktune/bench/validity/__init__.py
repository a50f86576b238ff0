"""One file per validity check; each exports ``CHECK``."""
