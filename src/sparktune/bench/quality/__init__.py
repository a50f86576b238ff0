"""Questions that tell whether a server still answers as it should: a battery of tool calls, and a canary.

``battery.py`` and ``canary_prompts.py`` are the questions, as data. ``reply.py`` reads an answer, streamed or not,
``judge.py`` says whether a reply to a question of the battery is right, ``garble.py`` what looks broken in a text. None
of it proves that answers are good: it finds what a setting broke.
"""
