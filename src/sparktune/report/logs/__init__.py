"""What ``logs`` found, as text and as JSON."""
