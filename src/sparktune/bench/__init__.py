"""Measuring a workload: what is sent, how bytes become tokens, metrics and validity. Pure."""
