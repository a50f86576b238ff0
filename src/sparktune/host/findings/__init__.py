"""One file per doctor finding; each exports ``FINDING``."""
