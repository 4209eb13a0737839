"""Rows made of plain text: a phrase said before is replaced by a pronoun, and must be found again.

    python constructed.py TEXT OUT.jsonl --most 40000

TEXT has `LANG.mono.txt`, a paragraph a line. The last sentence of a paragraph is the question, the
sentences before it are the history. Only the sense of the sentence says which phrase is missing.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from align import is_content, stem
from function_words import ARTICLES
from recollect.domain.followup.edits import Word, words_of

PRONOUNS: Final = {
    "en": ("it", "that", "this", "they", "them", "these", "those"),
    "nl": ("het", "dat", "dit", "die", "deze", "hij", "ze", "hem"),
    "de": ("es", "das", "er", "sie", "ihn", "diese", "die", "der"),
    "fr": ("il", "elle", "ils", "elles", "cela", "ça", "celui-ci", "celle-ci"),
    "es": ("eso", "esto", "él", "ella", "ellos", "ellas", "ese", "esa"),
}
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Ý¿¡\d])")
_SENTENCES: Final = (2, 6)
_WORDS: Final = (5, 24)
_LONGEST_PHRASE: Final = 5


def main() -> None:
    """Write rows of all languages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=40_000, help="rows a language")
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8") as file:
        for language in PRONOUNS:
            count = 0
            for row in rows_of(options.text / f"{language}.mono.txt", language):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
                if count == options.most:
                    break
            print(language, count)


def rows_of(path: Path, language: str) -> Iterator[dict]:
    """Rows of a text; about one in five needs no rewrite, its sentence left whole."""
    rng = random.Random(path.name)
    lines = path.read_text("utf-8").splitlines()
    rng.shuffle(lines)
    for line in lines:
        sentences = _SENTENCE.split(line)[: _SENTENCES[1]]
        if len(sentences) < _SENTENCES[0]:
            continue
        *before, last = sentences
        words = words_of(last)
        if not _WORDS[0] <= len(words) <= _WORDS[1]:
            continue
        question = last if rng.random() < 0.2 else _with_pronoun(words, last, before, language, rng)
        if question is not None:
            yield {
                "language": language,
                "history": _messages(before, rng),
                "question": question,
                "reference": last,
                "source": "constructed",
            }


def _with_pronoun(
    words: tuple[Word, ...], sentence: str, before: list[str], language: str, rng: random.Random
) -> str | None:
    """The sentence with one phrase that was said before replaced by a pronoun."""
    said = [stem(word.text) for text in before for word in words_of(text)]
    known = {
        tuple(said[i : i + n]) for n in range(1, _LONGEST_PHRASE + 1) for i in range(len(said))
    }
    stems = [stem(word.text) for word in words]
    phrases = [
        (first, first + size)
        for size in range(1, _LONGEST_PHRASE + 1)
        for first in range(len(words) - size + 1)
        if tuple(stems[first : first + size]) in known
        and is_content(stems[first])
        and is_content(stems[first + size - 1])
        and len(words[first + size - 1].text) > 2
        and _is_noun_phrase(words, first, size)
    ]
    if not phrases:
        return None
    longest = [p for p in phrases if not any(_holds(other, p) for other in phrases)]
    first, end = rng.choice(longest)
    if first and words[first - 1].text.lower() in ARTICLES:
        first -= 1
    pronoun = rng.choice(PRONOUNS[language])
    if first == 0:
        pronoun = pronoun.capitalize()
    return sentence[: words[first].start] + pronoun + sentence[words[end - 1].end :]


def _is_noun_phrase(words: tuple[Word, ...], first: int, size: int) -> bool:
    """Whether words are likely a noun phrase: after an article, a name, or several words."""
    if first == 0:
        return size > 1
    return words[first - 1].text.lower() in ARTICLES or size > 1 or words[first].text[0].isupper()


def _holds(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def _messages(sentences: list[str], rng: random.Random) -> list[dict]:
    """The sentences as one message, or as a question and its answer."""
    if len(sentences) < 2 or rng.random() < 0.3:
        return [{"role": rng.choice(("user", "assistant")), "content": " ".join(sentences)}]
    cut = rng.randint(1, len(sentences) - 1)
    return [
        {"role": "user", "content": " ".join(sentences[:cut])},
        {"role": "assistant", "content": " ".join(sentences[cut:])},
    ]


if __name__ == "__main__":
    main()
