"""Words that make a prompt unique without changing its length.

Each of the 256 words has four letters and is one token, at the start of a text as well as behind a space, in the
vocabularies of cl100k, o200k, r50k, Tekken, Mistral's SentencePiece model, DeepSeek and SmolLM2 (checked
against the vocabulary files). Equal length keeps the count of tokens stable even where a tokenizer knows none of them.
"""

__all__ = ["NONCE_WORDS", "WORD_CHARS", "nonce_words"]

import hashlib
from collections.abc import Iterable
from itertools import count, islice

NONCE_WORDS = 12  # 8 bits each: 96 bits
WORD_CHARS = 4
_LIST = """
able arch area arms atom axis back ball band bank bars base bean beat bell best bird blog blue boat body bold
bone book born burn call camp card care cart case cast cell cent chat chip city clip club coin copy core cost
dark data date days deck deep disk door down draw drop each ears echo edge face fact fall fast feed file fill
film find fire fish flag flat flow fold folk food foot form fort free full fund gain game gate gold good grid
half hall hand hard head help hero hide high hill hold hole home hood horn host hour icon inch iron item join
keep keys kind king land lane leaf life like line link list live load lock long look loop mail main maps mark
mask mass math mean mile mill mind mine mode move name news node note open pace pack page paid pair park part
pass path peer pick pipe plan play plot plug plus pool port post push rank rate read real rest rice rich ride
ring rise road rock role roll room root rose rows rule safe save scan seed seek self send ship shop show side
sign sing site size skin skip slot soft sort span spin spot star step stop tags tail take talk task team term
test text ties time tiny tool town tree true turn type unit user verb view vote walk wall wave ways weak wear
week wide wind wing wire wise wood word work wrap yard year zero zone
"""
_WORDS = tuple(_LIST.split())


def nonce_words(parts: Iterable[str | int], length: int = NONCE_WORDS) -> tuple[str, ...]:
    """Return ``length`` words that only these parts give; a longer answer begins with the shorter one.

    Fewer than NONCE_WORDS words carry 8 bits each: prompts of one or two tokens cannot all be unique.
    """
    key = "\x1f".join(str(part) for part in parts).encode()
    return tuple(islice((_WORDS[byte] for block in count() for byte in _block(key, block)), length))


def _block(key: bytes, index: int) -> bytes:
    return hashlib.sha256(index.to_bytes(4) + key).digest()
