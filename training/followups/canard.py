"""Make training rows of CANARD's training part: questions, rewrites, and what is known of answers.

    python canard.py FOLDER ROWS.jsonl [LEFT_OUT.jsonl ...]

FOLDER has `train.question.tsv` and `train.rewrite.tsv`, a turn's id, a tab, its text; and
`train.answer.tokens.tsv`, the nouns of each rewrite and its answer with " | " between them. The
titles of the pages and the answers' own words are not in them. A title is the name that comes in
most often in a conversation's rewrites; a reply is made of its nouns, with what later rewrites
take from it in their own words. Conversations about pages, or with references, of the files that
are LEFT_OUT (those that are scored) are left out.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from align import is_content, stem
from recollect.domain.followup.edits import words_of

_PAGE: Final = re.compile(r"C_[0-9a-f]{32}")
_HEADINGS: Final = (
    *("Early life", "Career", "Later career", "Personal life", "Legacy", "Biography", "Style"),
    *("Early years", "Education", "Influences", "Reception", "Criticism", "Death", "Awards"),
    *("Breakthrough", "Origins", "Later years", "Background", "Political career", "Marriage"),
    *("Rise to fame", "Retirement", "Return", "Controversy", "Works", "History", "Recordings"),
)
_BETWEEN: Final = (" and ", ", ", " of the ", " in ", " with ", " for the ", " by ", ", the ")
_OPENINGS: Final = ("", "", "The ", "In ", "He was ", "It was ", "They had ", "She had ", "a ")
_UNTITLED: Final = 0.15
_WITHOUT_HEADING: Final = 0.2
_PLACED: Final = 0.7
_LONGEST_NAME: Final = 6  # words
_LONGEST_SPAN: Final = 12  # words
_MOST_NOUNS: Final = 14


@dataclass(slots=True)
class Turn:
    """A question, its rewrite, the nouns of its answer, and the phrases that the rewrite adds."""

    question: str
    rewrite: str
    nouns: list[str]
    added: list[str]


def main(folder: Path, target: Path, left_out: Sequence[Path]) -> None:
    """Read, make and write the rows."""
    pages, references = _scored(left_out)
    rng = random.Random(1)
    conversations = _conversations(folder)
    forms = _usual_forms(turn.rewrite for turns in conversations.values() for turn in turns)
    lines = []
    for name, turns in conversations.items():
        page = _PAGE.match(name)
        is_scored = (page and page[0] in pages) or any(
            _bare(t.rewrite) in references for t in turns
        )
        if not is_scored:
            lines += [json.dumps(row, ensure_ascii=False) for row in _rows(name, turns, forms, rng)]
    target.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines)} rows of {len(conversations)} conversations")


def _scored(paths: Iterable[Path]) -> tuple[set[str], set[str]]:
    """Pages and references of rows that must not be learnt."""
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    pages = {match[0] for row in rows if (match := _PAGE.search(row["id"]))}
    long = (_bare(row["reference"]) for row in rows if len(row["reference"].split()) > 5)
    return pages, set(long)


def _bare(text: str) -> str:
    return " ".join(word.text.lower() for word in words_of(text) if not word.is_sign)


def _conversations(folder: Path) -> dict[str, list[Turn]]:
    questions, rewrites, nouns = (
        dict(_pairs(folder / f"train.{name}.tsv"))
        for name in ("question", "rewrite", "answer.tokens")
    )
    found: dict[str, list[Turn]] = {}
    for key, question in questions.items():
        rewrite = rewrites[key].strip()
        own = Counter(word.text.lower() for word in words_of(rewrite))
        answer = [noun.strip() for noun in nouns[key].split("|")]
        turn = Turn(question.strip(), rewrite, _without(answer, own), _added(question, rewrite))
        found.setdefault(key.split("_q#")[0], []).append(turn)
    return found


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8").splitlines():
        key, _, text = line.partition("\t")
        yield key, text


def _without(nouns: Sequence[str], own: Counter[str]) -> list[str]:
    """The nouns that are the answer's: those of the rewrite come first, and go."""
    left: list[str] = []
    for noun in nouns:
        if own[noun] > 0 and not left:
            own[noun] -= 1
        elif noun[:1].isalnum():
            left.append(noun)
    return left[:_MOST_NOUNS]


def _added(question: str, rewrite: str) -> list[str]:
    """The phrases that a rewrite has and its question has not, without small words around them."""
    asked, said = words_of(question), words_of(rewrite)
    matcher = SequenceMatcher(
        None, [w.text.lower() for w in asked], [w.text.lower() for w in said], autojunk=False
    )
    phrases = []
    for kind, _, _, first, last in matcher.get_opcodes():
        span = list(said[first:last]) if kind in {"insert", "replace"} else []
        while span and not is_content(stem(span[0].text)):
            span.pop(0)
        while span and not is_content(stem(span[-1].text)):
            span.pop()
        if span and len(span) <= _LONGEST_SPAN:
            phrases.append(rewrite[span[0].start : span[-1].end])
    return phrases


def _usual_forms(texts: Iterable[str]) -> dict[str, str]:
    """How each word is written inside a sentence, with capitals or without."""
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        for word in words_of(text)[1:]:
            counts.setdefault(word.text.lower(), Counter())[word.text] += 1
    return {word: forms.most_common(1)[0][0] for word, forms in counts.items()}


def _rows(
    name: str, turns: Sequence[Turn], forms: dict[str, str], rng: random.Random
) -> Iterator[dict]:
    title = _title(turns)
    replies, heading = _replies(turns, title, forms, rng)
    opening: list[dict] = []
    if title and rng.random() > _UNTITLED:
        has_heading = rng.random() > _WITHOUT_HEADING
        text = f"{title}: {heading}" if has_heading else title
        opening = [{"role": "assistant", "content": text}]
    said = list(opening)
    for place, turn in enumerate(turns):
        if said:
            yield {
                "id": f"canard-train-{name}-{place}",
                "history": list(said),
                "question": turn.question,
                "reference": turn.rewrite,
            }
        said += (
            {"role": "user", "content": turn.question},
            {"role": "assistant", "content": replies[place]},
        )


def _title(turns: Sequence[Turn]) -> str:
    """The name that rewrites add most often, at its longest."""
    names: Counter[str] = Counter()
    for turn in turns:
        for phrase in turn.added:
            names.update(list(dict.fromkeys(run.removesuffix("'s") for run in _names(phrase))))
    if not names:
        return ""
    best, count = names.most_common(1)[0]
    longer = [n for n, times in names.items() if best in n and times * 3 >= count]
    return max(longer, key=len)


def _names(phrase: str) -> list[str]:
    """Runs of words with capitals, and the small words inside them."""
    found, run = [], []
    words = words_of(phrase)
    for word in words:
        joins = word.text in {"of", "the", "and", "de", "&", ".", "'", "-"} and run
        if word.text[0].isupper() or joins:
            run.append(word)
            continue
        found.append(run)
        run = []
    found.append(run)
    texts = []
    for one in found:
        while one and not one[-1].text[0].isupper() and one[-1].text != ".":
            one.pop()
        if one and len(one) <= _LONGEST_NAME:
            texts.append(phrase[one[0].start : one[-1].end])
    return texts


def _replies(
    turns: Sequence[Turn], title: str, forms: dict[str, str], rng: random.Random
) -> tuple[list[str], str]:
    """A reply for each turn, and a heading: what rewrites add and nothing else has said."""
    placed: list[list[str]] = [[] for _ in turns]
    nouns = [list(turn.nouns) for turn in turns]
    heading = ""
    for place, turn in enumerate(turns):
        before = " ".join(_bare(one.question) for one in turns[:place])
        for phrase in turn.added:
            bare = _bare(phrase)
            is_placed = any(phrase in one for some in placed for one in some)
            if bare in _bare(title) or bare in before or is_placed:
                continue
            where = _said_in(bare.split(), nouns[:place])
            if where is None and not heading and place < 3 and not phrase[0].isupper():
                heading = phrase[0].upper() + phrase[1:]
                continue
            if where is None and place and rng.random() < _PLACED:
                where = place - 1
            if where is not None:
                placed[where].append(phrase)
                nouns[where] = [noun for noun in nouns[where] if noun not in bare.split()]
    replies = [_reply(some, own, forms, rng) for some, own in zip(placed, nouns, strict=True)]
    return replies, heading or rng.choice(_HEADINGS)


def _said_in(words: Sequence[str], nouns: Sequence[Sequence[str]]) -> int | None:
    """The latest answer that has half of a phrase's words of content."""
    content = [word for word in words if is_content(stem(word))]
    for place in range(len(nouns) - 1, -1, -1):
        if content and 2 * sum(word in nouns[place] for word in content) >= len(content):
            return place
    return None


def _reply(
    placed: Sequence[str], nouns: Sequence[str], forms: dict[str, str], rng: random.Random
) -> str:
    """Nouns, and the phrases that are known, with small words between them."""
    parts: list[str] = []
    for noun in nouns:
        form = forms.get(noun, noun)
        if parts and form[0].isupper() and parts[-1][-1:].isalpha() and parts[-1][0].isupper():
            parts[-1] += f" {form}"
        else:
            parts.append(form)
    for phrase in placed:
        parts.insert(rng.randrange(len(parts) + 1), phrase)
    text = rng.choice(_OPENINGS)
    for number, part in enumerate(parts):
        text += (rng.choice(_BETWEEN) if number else "") + part
    text = text.strip()
    return text[:1].upper() + text[1:] + rng.choice((".", ",", "")) if text else "I don't know."


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(one) for one in sys.argv[3:]])
