"""Results as text, Markdown, JSON and CSV. Pure."""
