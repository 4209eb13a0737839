"""Give the English encoder a vocabulary of five languages, without training anything.

    python vocabulary.py TEXT BASE_TOKENIZER.json BASE.npz OUT_TOKENIZER.json OUT_ENCODER.npz

TEXT has `LANG.pairs.tsv` (English, tab, the same in LANG) and `LANG.mono.txt` for nl, de, fr, es.
The English vocabulary loses pieces of other scripts and gains pieces of the four languages. A new
word's embedding is the mean of the English words that stand beside it in translations (IBM
model 1), weighted by how often; so a sentence in Dutch reads like one in English from the start.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from base_encoder import packed, unpacked

LANGUAGES: Final = ("nl", "de", "fr", "es")
_NEW_PIECES: Final = 24_000
_FIXED: Final = 104  # special and unused tokens of BERT's vocabulary
_LATIN: Final = re.compile(
    r"(##)?[\x20-\x7e\u00a1-\u00bf\u00d7\u00df\u00e6\u00f8\u0153\u2013-\u2026\u20ac\u2192]+"
)
_MOST_WORDS: Final = 24
_ROUNDS: Final = 6
_NORMALISE: Final = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
_SPLIT: Final = pre_tokenizers.BertPreTokenizer()

Mixture = dict[int, float]  # English piece → share


def main(
    text: Path, tokenizer: Path, encoder: Path, new_tokenizer: Path, new_encoder: Path
) -> None:
    """Write the tokenizer and the encoder with the new vocabulary."""
    pairs = {code: _read_pairs(text / f"{code}.pairs.tsv") for code in LANGUAGES}
    plain = {
        code: (text / f"{code}.mono.txt").read_text("utf-8").splitlines() for code in LANGUAGES
    }
    english = Tokenizer.from_file(str(tokenizer))
    vocabulary = _merged_vocabulary(english.get_vocab(), pairs, plain)
    description = json.loads(tokenizer.read_text("utf-8"))
    description["model"]["vocab"] = vocabulary
    new_tokenizer.write_text(json.dumps(description, ensure_ascii=False), "utf-8")
    mixtures = _Mixtures(english, pairs, plain)
    weights = unpacked(encoder)
    weights["words.weight"] = _embeddings(weights["words.weight"], vocabulary, mixtures)
    np.savez_compressed(new_encoder, **packed(weights))
    print(f"{len(vocabulary)} pieces", mixtures.counts)


def _read_pairs(path: Path) -> list[tuple[list[str], list[str]]]:
    pairs = []
    for line in path.read_text("utf-8").splitlines():
        english, _, other = line.partition("\t")
        pair = words(english)[:_MOST_WORDS], words(other)[:_MOST_WORDS]
        if all(pair):
            pairs.append(pair)
    return pairs


def words(text: str) -> list[str]:
    """The words of a text as the tokenizer sees them, without signs."""
    split = _SPLIT.pre_tokenize_str(_NORMALISE.normalize_str(text))
    return [word for word, _ in split if word[0].isalnum()]


def _merged_vocabulary(
    english: dict[str, int],
    pairs: dict[str, list[tuple[list[str], list[str]]]],
    plain: dict[str, list[str]],
) -> dict[str, int]:
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
    trained.normalizer, trained.pre_tokenizer = _NORMALISE, _SPLIT
    trainer = trainers.WordPieceTrainer(
        vocab_size=_NEW_PIECES,
        min_frequency=6,
        special_tokens=["[UNK]"],
        limit_alphabet=200,
        show_progress=False,
    )
    texts = (
        text
        for code in LANGUAGES
        for text in (*plain[code], *(" ".join(other) for _, other in pairs[code]))
    )
    trained.train_from_iterator(texts, trainer)
    ordered = sorted(english, key=english.__getitem__)
    kept = [piece for n, piece in enumerate(ordered) if n < _FIXED or _LATIN.fullmatch(piece)]
    learnt = sorted(trained.get_vocab().items(), key=lambda item: item[1])
    added = [piece for piece, _ in learnt if piece not in english and _LATIN.fullmatch(piece)]
    return {piece: number for number, piece in enumerate([*kept, *added])}


class _Mixtures:
    """What a piece of the new vocabulary means in pieces of the English one."""

    def __init__(
        self,
        english: Tokenizer,
        pairs: dict[str, list[tuple[list[str], list[str]]]],
        plain: dict[str, list[str]],
    ) -> None:
        self._english = english
        self._known = english.get_vocab()
        self._aligned = {code: _alignments(pairs[code]) for code in LANGUAGES}
        self._shares = {
            code: _shares((w for _, other in pairs[code] for w in other), plain[code])
            for code in LANGUAGES
        }
        self._shares["en"] = _shares(
            (w for code in LANGUAGES for e, _ in pairs[code] for w in e), []
        )
        self.counts: Counter[str] = Counter()

    def of(self, piece: str, number: int) -> Mixture:
        """The mixture of a piece: by translation, else of what the English pieces make of it."""
        is_whole_word = not piece.startswith("##") and piece[0].isalpha()
        if piece in self._known and (number < _FIXED or not is_whole_word):
            self.counts["same"] += 1
            return {self._known[piece]: 1.0}
        if is_whole_word:
            translated = self._translated(piece)
            if translated:
                self.counts["translated"] += 1
                return translated
        self.counts["spelt"] += 1
        return {self._known[piece]: 1.0} if piece in self._known else self._spelt(piece)

    def _translated(self, word: str) -> Mixture:
        mixture: Mixture = {}
        share = self._shares["en"].get(word, 0.0)
        if word in self._known and share:
            mixture[self._known[word]] = share
        for code in LANGUAGES:
            for english, probability in self._aligned[code].get(word, ()):
                amount = self._shares[code].get(word, 0.0) * probability
                for piece, part in self._spelt(english).items():
                    mixture[piece] = mixture.get(piece, 0.0) + amount * part
        total = sum(mixture.values())
        return {piece: part / total for piece, part in mixture.items()} if total else {}

    def _spelt(self, word: str) -> Mixture:
        ids = self._english.encode(word.removeprefix("##"), add_special_tokens=False).ids
        counts = Counter(ids or [100])
        return {piece: count / counts.total() for piece, count in counts.items()}


def _shares(words_of_pairs: Iterable[str], plain: list[str]) -> dict[str, float]:
    counts = Counter(words_of_pairs)
    for text in plain[:40_000]:
        counts.update(words(text[:800]))
    return {word: count / counts.total() for word, count in counts.items()}


def _alignments(
    pairs: list[tuple[list[str], list[str]]],
) -> dict[str, list[tuple[str, float]]]:
    """For each word, the English words it translates and how likely each is: IBM model 1."""
    english, other = _Numbers(), _Numbers()
    left: list[int] = []
    right: list[int] = []
    group: list[int] = []
    groups = 0
    for source, target in pairs:
        numbers = [english.of(word) for word in set(source)]
        for word in set(target):
            left += numbers
            right += [other.of(word)] * len(numbers)
            group += [groups] * len(numbers)
            groups += 1
    e, f, g = np.array(left), np.array(right), np.array(group)
    cells, at = np.unique(f * len(english.words) + e, return_inverse=True)
    cell_f, cell_e = cells // len(english.words), cells % len(english.words)
    chance = np.ones(len(cells))
    counts = chance
    for _ in range(_ROUNDS):
        weight = chance[at]
        weight /= np.bincount(g, weight, groups)[g]
        counts = np.bincount(at, weight, len(cells))
        chance = counts / np.bincount(cell_e, counts, len(english.words))[cell_e]
    totals = np.bincount(cell_f, counts, len(other.words))
    found: dict[str, list[tuple[str, float]]] = {}
    for cell in np.flatnonzero((counts > 0.12 * totals[cell_f]) & (totals[cell_f] >= 3)):
        share = float(counts[cell] / totals[cell_f[cell]])
        found.setdefault(other.words[cell_f[cell]], []).append((english.words[cell_e[cell]], share))
    return found


class _Numbers:
    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, word: str) -> int:
        if word not in self._numbers:
            self._numbers[word] = len(self.words)
            self.words.append(word)
        return self._numbers[word]


def _embeddings(base: np.ndarray, vocabulary: dict[str, int], mixtures: _Mixtures) -> np.ndarray:
    """Mixed embeddings, brought to the usual length: means are shorter than what they mean."""
    made = np.zeros((len(vocabulary), base.shape[1]), np.float32)
    for piece, number in vocabulary.items():
        for english, share in mixtures.of(piece, number).items():
            made[number] += share * base[english]
    usual = np.median(np.linalg.norm(base[1000:], axis=1))
    lengths = np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-6)
    return made * np.clip(usual / lengths, 1.0, 1.6)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:6]))
