"""Observe a cluster of DGX Sparks, measure a workload, decide between settings, keep what was decided."""

__version__ = "0.1.0"

__all__ = ["__version__"]
