"""The prompts of the canary, as data: short, of several kinds, each with an answer that neither loops nor is empty."""

__all__ = ["CANARY", "CANARY_TOKENS"]

from collections.abc import Mapping
from typing import Final

CANARY_TOKENS: Final = 48

CANARY: Final[Mapping[str, str]] = {
    "count": "Write the numbers from one to fifteen as words, separated by commas.",
    "months": "List the months of the year in order, separated by commas.",
    "planets": "Name the planets of the solar system from the sun outwards.",
    "sum": "What is 48 plus 76? Show the steps in one short sentence.",
    "river": "Describe in two sentences how a river is formed.",
    "bread": "Explain to a child in two sentences why bread rises.",
    "moon": "Why does the moon have phases? Answer in two sentences.",
    "letter": "Write the first two sentences of a letter that thanks a neighbour for watering the plants.",
    "python": "Write a Python function that returns the larger of two numbers.",
    "shell": "Which shell command shows how much disk space is free? Explain it in one sentence.",
    "json": "Write a JSON object that describes a book: title, author, year, and a list of two topics.",
    "sql": "Write an SQL query that counts the rows of the table orders for each customer.",
    "german": "Beschreibe in zwei Sätzen auf Deutsch, wie man Tee kocht.",
    "french": "Explique en deux phrases, en français, pourquoi le ciel est bleu.",
    "spanish": "Describe en dos frases, en español, una mañana en el mercado.",
    "translate": "Translate into English: Der Zug nach Wien fährt um sieben Uhr ab.",
    "opposites": "Give the opposites of these words: hot, early, narrow, heavy, quiet.",
    "summary": (
        "Summarise in one sentence: The harbour was closed for two days because of the storm. Ships waited outside, "
        "and the fish market opened only on Thursday."
    ),
    "story": "Continue this story with two sentences: The lighthouse keeper found a small blue box on the stairs.",
    "compare": "What is the difference between a lake and a pond? Answer in two sentences.",
}
