"""How a service is started and configured. Pure."""
