"""One normal form of a setting, whoever wrote it and wherever it is seen.

``normal`` reads a command line (``spelling``: which option a word names, ``given``: what each says, ``leaves``: maps
taken apart, ``values``: texts as values), ``environment`` adds variables.

The layers: ``view`` builds what lint looks at from files (``together``, ``variables``, ``filling``, ``arithmetic``,
``recipe*``), ``echoed`` reads logs, ``live`` processes and answers, ``earned`` what experiments decided. All of it is
pure, and none of it raises for odd input.
"""
