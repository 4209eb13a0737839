"""The words and sentences of texts, and the language that the commonest words tell."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from recollect.domain.dates import DATES

MAX_WORD: Final = 64
"""Longer runs of letters are cut."""
_RUN: Final = re.compile(r"[^\W_]+(?:[.,:'\u2019@/_-]+[^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[._@]|\d")
_JOINTS: Final = re.compile(r"[.,:@/_-]+")
_APOSTROPHE: Final = re.compile(r"['\u2019]")
_LETTERS: Final = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"}
_FOLDED: Final = str.maketrans(_LETTERS)
# Chinese, Japanese and Thai have no blanks between words: pairs of characters stand for them.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SHORTENED: Final = 2
"""The longest part beside an apostrophe that means nothing: 's, 'll, l', qu'."""
_WORD: Final = re.compile(r"[^\W_]+(?:[.,:'\u2019_-][^\W_]+)*_*")
_PUNCTUATION: Final = str.maketrans(dict.fromkeys('.,;:!?()[]{}"`“”…', " "))
# Each run of marks is tried once, from its start: ten thousand dots must not take seconds.
_ENDS: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”\u2019)\]*]*+(?=\s)|[。\uff01\uff1f]+|\n+")
_TITLES: Final = """mr mrs ms dr dra st ste prof rev capt sgt dhr mevr mw drs ing hr hrn fr mme
    mlle sr sra srta"""
_ABBREVIATED: Final = """e.g i.e vs etc no nr approx fig incl excl resp ca bijv bv d.w.z a.u.b o.a
    m.b.t n.a.v z.b usw bzw jr"""
_ABBREVIATIONS: Final = frozenset((*_TITLES.split(), *_ABBREVIATED.split()))
_SHORTENED_WORDS: Final = "inc ltd co corp bros ave avda av blvd ft mt nr"
_SHORT_MONTHS: Final = "feb mrt apr jun jul aug sep sept oct okt nov dec dez"
_ARTICLES: Final = ("a ", "A ", "an ", "An ", "een ", "ein ", "eine ", "un ", "une ", "una ")


def _any_of(*words: str) -> str:
    """A pattern for whole words, in capitals or not."""
    return rf"(?<![^\W_])(?i:{'|'.join(' '.join(words).split())})"


_INITIAL: Final = "".join(f"(?<!{article})" for article in _ARTICLES) + "[A-HJ-ZÀ-ÖØ-Þ]"
_INNER_STOP: Final = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]\.){1,5}[^\W\d_]\.(?=\s[a-zà-öø-ÿ0-9])"
    rf"|(?:{_any_of(_TITLES, 'av avda ft mt')}|(?<![^\W_]){_INITIAL})\.(?=\s?[A-ZÀ-ÖØ-Þ])"
    rf"|{_any_of(_TITLES, _SHORTENED_WORDS, 'jr')}\.(?=\s[a-zà-öø-ÿ])"
    rf"|(?:(?<![0-9] ){_any_of(_SHORT_MONTHS, 'av avda nr')}|(?<=str))\.(?=\s?[0-9])"
)
"""An abbreviation with its full stop, and how a sentence goes on behind it.

A title or an initial goes on with a name, but "I got an A. He" does not; "Inc." and "U.N." go on
with a small letter, and "Dec." with a number.
"""
_CONJUNCTIONS: Final = frozenset(
    ("and", "but", "so", "that", "the", "en", "maar", "dus", "und", "aber", "das", "et", "mais")
)
"""The same with a capital alone."""
_NEXT_WORD: Final = re.compile(r"\s([^\W\d_]+)")
_SENTENCE_BEGINNINGS: Final = frozenset(
    word
    for words in (
        "i my he she we it they our his her their this always never please",
        "ik mijn hij zij ze wij we ons onze het hun dit je jij altijd nooit graag",
        "ich mein meine er sie wir unser unsere es ihr du immer nie bitte",
        "je mon ma mes il elle nous notre nos ils elles ce on toujours jamais",
        "yo mi mis ella nuestro nuestra nosotros ellos tengo vivo soy trabajo siempre nunca",
    )
    for word in words.split()
)
"""Words that begin a sentence and no name, as a rule."""
_MONTHS: Final = frozenset(month for words in DATES.values() for month in words.months)
_LONGEST_MONTH: Final = 14  # with the blank before it and a mark after it
_READ_WORDS: Final = 400
_MIN_HITS: Final = 2
_MARGIN: Final = 1.3

_COMMON_WORDS: Final = {
    "en": """the a an and or but of to in on at by for with from as is are was were be been am do
        does did have has had i you he she it we they me him her us them my your his its our their
        this that these those there here what which who when where why how not no can could will
        would shall should may might must if so than then about into just very too also only out
        i'm i've i'll i'd you're you've you'll it's that's there's don't didn't can't won't isn't
        what's let's he's she's we're they're doesn't""",
    "nl": """de het een en of maar van te in op aan bij voor met uit als is zijn was waren ben bent
        geweest doe doet heb hebt heeft had hebben ik je jij jou u hij zij ze wij we mij me hem haar
        ons hen hun mijn jouw uw dit dat deze die er hier daar wat welke wie wanneer waar waarom hoe
        niet geen kan kun kunt kunnen zal zou wil moet mag dan dus om naar over door ook nog al maar
        zo heel wel worden wordt per tot hoeveel graag""",
    "de": """der die das ein eine und oder aber von zu im in an bei für mit aus als ist sind war
        waren bin bist habe hast hat haben ich du er sie es wir ihr mich dich ihm uns mein dein sein
        dies was wer wann wo warum wie nicht kein kann können wird würde soll muss wenn dann auch
        noch nur sehr nach auf den dem des einen einem einer""",
    "fr": """le la les un une des et ou mais de du à en dans sur par pour avec est sont était suis
        es ai as a ont je tu il elle nous vous ils elles me te se mon ton son notre votre ce cette
        ces qui que quoi quand où pourquoi comment ne pas peut si plus aussi très au aux""",
    "es": """el la los las un una unos y o pero de del a en por para con es son era soy eres he ha
        han yo tú él ella nosotros ellos me te se mi tu su este esta esto que quien cuando donde por
        qué cómo no puede si más también muy al lo le les hay está están""",
}
_COMMON: Final = {language: frozenset(words.split()) for language, words in _COMMON_WORDS.items()}
_WITHOUT_CONTENT: Final = frozenset().union(*_COMMON.values())
_LANGUAGES_OF: Final = {
    word: [language for language, common in _COMMON.items() if word in common]
    for word in _WITHOUT_CONTENT
}
_LANGUAGE_OF: Final = {word: known[0] for word, known in _LANGUAGES_OF.items() if len(known) == 1}


def words_of(text: str) -> Iterator[str]:
    """The words of a text in their order, in lower case and without accents.

    A number or a name with dots, underscores or digits comes whole and, after that, in parts.
    """
    for run in _RUN.findall(fold(text)):
        if run.isascii() and run.isalnum():  # as most are: there is nothing to take apart
            yield run[:MAX_WORD]
            continue
        parts = list(_parts(run))
        if len(parts) > 1 and _NAME.search(run):
            yield run[:MAX_WORD]
        yield from parts


def fold(text: str) -> str:
    """A text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).lower().translate(_FOLDED)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _parts(run: str) -> Iterator[str]:
    for piece in _JOINTS.split(run):
        whole = _APOSTROPHE.split(piece)
        for part in whole:
            if len(part) <= _SHORTENED and len(whole) > 1:
                continue
            for word in _PART.findall(part):
                yield from _pairs(word) if _UNSPACED.fullmatch(word) else [word[:MAX_WORD]]


def _pairs(characters: str) -> Iterator[str]:
    if len(characters) == 1:
        yield characters
    for at in range(len(characters) - 1):
        yield characters[at : at + 2]


class PlainWords:
    """`WordStems` without knowledge of languages: each word is its own stem."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:  # noqa: ARG002  # the port's signature
        """The words of a text."""
        return list(words_of(text))


def split_words(text: str) -> list[str]:
    """Return the words of a text; figures, contractions and `dotted.names` are one word."""
    return _WORD.findall(text)


def is_common_word(word: str) -> bool:
    """Tell whether a word has little meaning by itself in one of the known languages."""
    return word.lower().replace("\u2019", "'") in _WITHOUT_CONTENT


def common_words(language: str) -> frozenset[str]:
    """Return the words of little meaning by themselves in a language; none if it is not known."""
    return _COMMON.get(language, frozenset())


def content_words(text: str, language: str) -> list[str]:
    """Return the words of a text that mean something by themselves, each once, in their order."""
    common, words = common_words(language), dict[str, str]()
    for word in split_words(text):
        words.setdefault(word.lower().replace("\u2019", "'"), word)
    return [word for lowered, word in words.items() if lowered not in common]


def guess_language(texts: str | Iterable[str]) -> str | None:
    """Return the language (`en`, `nl`, `de`, `fr`, `es`) of most of the first words, if clear."""
    words = islice(_words([texts] if isinstance(texts, str) else texts), _READ_WORDS)
    languages = Counter(filter(None, map(_LANGUAGE_OF.get, words)))
    (best, hits), (_, other_hits) = (*languages.most_common(2), ("", 0), ("", 0))[:2]
    return best if hits >= max(_MIN_HITS, _MARGIN * other_hits) else None


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from text.lower().replace("\u2019", "'").translate(_PUNCTUATION).split()


def sentence_parts(text: str) -> Iterator[str]:
    """Yield the sentences of a prose text as they stand in it; together they are the text."""
    start = 0
    for end in _ENDS.finditer(text):
        if end.group() == "." and _goes_on(text, start, end):
            continue
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def without_inner_stops(text: str) -> str:
    """The text with "_" for the full stop of an abbreviation in a sentence: "Dr_ Jansen".

    All characters keep their places.
    """
    return _INNER_STOP.sub(_masked, text) if "." in text[:-1] else text


def _masked(found: re.Match[str]) -> str:
    """An abbreviation with "_", or as it is where the next word begins a sentence.

    "I have hepatitis C. My wife …" are two.
    """
    before = found[0][:-1]
    following = _NEXT_WORD.match(found.string, found.end())
    if following is not None:
        word = fold(following[1])
        is_beginning = word in _SENTENCE_BEGINNINGS
        if is_beginning or (word in _CONJUNCTIONS and following[1][0].isupper()):
            return found[0]
    return f"{before}_"


def _goes_on(text: str, start: int, dot: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation, an initial, a list's number, or a figure's half."""
    before = text[max(start, dot.start() - 12) : dot.start()].split()
    if not before:
        return True
    last = before[-1].lower().lstrip("(\"'")
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i"):
        return True
    following = text[dot.end() : dot.end() + _LONGEST_MONTH].split(maxsplit=1)
    after = following[0] if following else ""
    return (
        last[-1:].isdigit()
        and (
            after[:1].isdigit()
            or fold(after.strip(".,;:!?)")) in _MONTHS  # "am 12. September"
            or not text[start : dot.start()].strip(" 0123456789\n")
        )
    )
