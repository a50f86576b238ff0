"""What ``lint`` found, as text and as JSON."""
