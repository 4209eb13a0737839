"""Make the lists of stems that Dutch and German compounds are split into.

    python training/compounds.py [FOLDER]

Reads the words of `embedder/rows` and `followups/rows` and writes `compound_parts_LANG.txt` to
FOLDER, by default the weights of the package: the stems of words that several rows have, without
common words, prefixes and endings.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import Stemmer

from recollect.domain.language import common_words, fold, words_of
from recollect.models.weights import WEIGHTS

STEMMERS: Final = {"nl": "dutch", "de": "german"}
AFFIXES: Final = {
    "nl": "aan aars achter achtig achtige baar bare bij daan door eerd elen ende ering eren heden "
    "heid her ingen inge lijk lijke lijks loos loze met mis onder ont over ring ringen schap ting "
    "tingen toe uit ver voor weg wegge zaam",
    "de": "auf aus bei durch ein ende ent eren erst gegen haft heit heiten her hin ingen keit "
    "keiten lich liche ling los lose lung mit nach nung reich rung rungen sam same schaft schen "
    "stung sung tisch tung uber ung ungen unter ver vor wegs zer",
}
"""What begins and ends words without being a part of a compound."""
ROWS: Final = 2
"""A word of fewer rows is often a slip."""
SHORTEST: Final = 3


def texts(row: dict[str, Any]) -> Iterator[str]:
    """The texts of a row of either kind."""
    yield row.get("user") or ""
    yield row.get("assistant") or ""
    yield row.get("question") or ""
    yield row.get("reference") or ""
    yield from row.get("near_misses", ())
    yield from (question["text"] for question in row.get("questions", ()))
    yield from (message["content"] for message in row.get("history", ()))


def known_stems(rows: list[dict[str, Any]], language: str) -> list[str]:
    """The stems of a language's words that several rows have."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update({word for text in texts(row) for word in words_of(text)})
    left_out = {fold(word) for word in common_words(language)} | set(AFFIXES[language].split())
    stem = Stemmer.Stemmer(STEMMERS[language]).stemWord
    kept = (
        word
        for word, count in counts.items()
        if count >= ROWS and len(word) >= SHORTEST and word.isalpha() and word not in left_out
    )
    return sorted({stem(word) for word in kept} - left_out)


def main() -> None:
    """Write both lists."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS
    here = Path(__file__).parent
    paths = [*here.glob("embedder/rows/*.jsonl"), *here.glob("followups/rows/*.jsonl")]
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    for language in STEMMERS:
        stems = known_stems([row for row in rows if row["language"] == language], language)
        path = folder / f"compound_parts_{language}.txt"
        path.write_text("".join(f"{stem}\n" for stem in stems), "utf-8")
        print(f"{path}: {len(stems)} stems")


if __name__ == "__main__":
    main()
