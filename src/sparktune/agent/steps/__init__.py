"""One file per kind of step; each exports ``KIND``, which knows how to look, do, compare and put back."""
