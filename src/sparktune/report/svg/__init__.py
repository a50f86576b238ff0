"""A small writer of SVG: markup, scales, axes, a palette. Pure functions from data to text."""
