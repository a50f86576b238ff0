"""What ``place`` does: scan, pin, unpin, status and trial."""
