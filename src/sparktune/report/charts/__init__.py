"""The pictures of reports, one file each: from plain values to a ``Picture``, or to the reason why there is none."""
