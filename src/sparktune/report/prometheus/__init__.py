"""What ``export`` tells a Prometheus: one list of series, and from it text, rules of alerts and a dashboard. Pure."""

__all__: list[str] = []
