"""The version, in a place that every row may read."""

__version__ = "0.1.0"
