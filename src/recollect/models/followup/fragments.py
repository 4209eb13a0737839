"""Fragments that edits force into a question which has no place for them: "And my wife?"."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase

POSSESSIVES: Final = frozenset(
    (
        *("my", "our", "your", "mijn", "m'n", "ons", "onze", "jouw", "uw"),
        *("mein", "meine", "meinen", "meinem", "meiner", "unser", "unsere", "unseren"),
        *("dein", "deine", "deinen", "mon", "ma", "mes", "notre", "nos", "votre", "vos"),
        *("ton", "ta", "tes", "mi", "mis", "nuestro", "nuestra", "nuestros", "nuestras"),
        *("tu", "tus"),
    )
)
"""Of those who speak; what "his" and "her" point to may come in."""
_OTHERS_POSSESSIVES: Final = frozenset(
    (
        *("his", "her", "its", "their", "zijn", "haar", "hun", "sein", "seine", "seinen"),
        *("ihr", "ihre", "ihren", "son", "sa", "ses", "leur", "leurs", "su", "sus"),
    )
)
_SPEAKERS: Final = frozenset(
    (
        *("i", "me", "you", "we", "us", "ik", "mij", "jij", "jou", "jullie", "wij", "ons", "u"),
        *("ich", "mich", "mir", "du", "dich", "dir", "wir", "uns", "ihr", "euch", "moi", "toi"),
        *("nous", "vous", "yo", "mí", "tú", "ti", "usted", "ustedes", "nosotros", "vosotros"),
    )
)
_PERSONS: Final = frozenset(
    (
        *("wife", "husband", "partner", "girlfriend", "boyfriend", "mother", "father", "mum"),
        *("mom", "dad", "parents", "sister", "brother", "son", "daughter", "child", "children"),
        *("kids", "baby", "grandmother", "grandfather", "grandma", "grandpa", "aunt", "uncle"),
        *("boss", "colleague", "colleagues", "friend", "friends", "neighbour", "neighbor"),
        *("vrouw", "man", "vriendin", "vriend", "vrienden", "moeder", "vader", "mama", "papa"),
        *("ouders", "zus", "broer", "zoon", "dochter", "kind", "kinderen", "oma", "opa", "tante"),
        *("nonkel", "oom", "baas", "collega", "collega's", "buurman", "buurvrouw", "frau"),
        *("mann", "freundin", "freund", "freunde", "mutter", "vater", "eltern", "schwester"),
        *("bruder", "sohn", "tochter", "kinder", "onkel", "chef", "chefin", "kollege"),
        *("kollegin", "kollegen", "nachbar", "nachbarin", "femme", "mari", "conjoint", "copine"),
        *("copain", "mère", "père", "maman", "sœur", "soeur", "frère", "fils", "fille"),
        *("enfant", "enfants", "mamie", "papi", "oncle", "patron", "collègue", "collègues"),
        *("ami", "amie", "amis", "voisin", "voisine", "mujer", "esposa", "marido", "esposo"),
        *("novia", "novio", "madre", "padre", "mamá", "papá", "padres", "hermana", "hermano"),
        *("hijo", "hija", "hijos", "hijas", "niño", "niña", "niños", "abuela", "abuelo", "tía"),
        *("suegra", "suegro", "cuñada", "cuñado", "schoonmoeder", "schoonvader", "schoonzus"),
        *("schwiegermutter", "schwiegervater", "schwager", "schwägerin", "belle", "beau"),
        *("tío", "jefe", "jefa", "colega", "amigo", "amiga", "amigos", "vecino", "vecina"),
    )
)
_PRONOUNS: Final = frozenset(
    (
        *("he", "him", "she", "her", "hij", "hem", "zij", "ze", "haar", "er", "ihn", "ihm"),
        *("sie", "il", "elle", "lui", "él", "ella", "le"),
    )
)
_PLACE_PREPOSITIONS: Final = frozenset(
    ("in", "to", "at", "near", "naar", "te", "bij", "nach", "à", "en", "a", "dans", "vers")
)
_NEXT_STEPS: Final = frozenset(
    (
        *("then", "now", "next", "dan", "nu", "verder", "daarna", "dann", "jetzt", "nun"),
        *("weiter", "sonst", "danach", "après", "maintenant", "ensuite", "alors", "puis"),
        *("ahora", "luego", "después", "entonces", "back", "terug", "zurück"),
    )
)
_WEATHER: Final = frozenset(
    ("weather", "weer", "wetter", "météo", "tiempo", "clima", "forecast", "weerbericht")
)
_JOKES: Final = frozenset(
    ("joke", "jokes", "mop", "moppen", "mopje", "grap", "witz", "witze", "blague", "chiste")
)
_MEALS: Final = frozenset(
    (
        *("breakfast", "lunch", "dinner", "ontbijt", "middageten", "avondeten", "frühstück"),
        *("mittagessen", "abendessen", "déjeuner", "dîner", "desayuno", "almuerzo", "cena"),
    )
)
_ADDING: Final = frozenset(
    (
        *("and", "or", "but", "what", "how", "also", "en", "of", "maar", "wat", "hoe", "ook"),
        *("und", "oder", "aber", "was", "wie", "auch", "et", "ou", "mais", "qu'", "quid", "aussi"),
        *("y", "o", "pero", "qué", "también"),
    )
)
"""How a fragment begins that corrects nothing, as "I meant" does."""
_SENTENCE_ENDS: Final = frozenset(".?!")
_NEAR_BEGINNING: Final = 2  # words, one of which may be a sign
_PAIR: Final = 2  # words
_NOUN_PHRASE: Final = (2, 3)  # words, with the article
_GERMAN_ARTICLES: Final = frozenset(("der", "die", "das", "ein", "eine"))
_GERMAN_POSSESSIVES: Final = frozenset(
    ("mein", "meine", "meinen", "unser", "unsere", "dein", "deine")
)
_BEFORE_PERSONS: Final = frozenset(("ist", "war", "hat", "heißt", "wird", "von", "für", "mit"))
"""What stands before German names, which look like other nouns."""


def determiners(known: LanguageWords) -> frozenset[str]:
    """The words of a language that a noun follows: articles, and the possessives of speakers."""
    return known.articles | POSSESSIVES


def has_no_place(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    known: LanguageWords,
    *,
    is_data: bool = False,
) -> bool:
    """Whether a fragment is put into a question that does not ask for such a thing.

    "And my wife?" after "How do I fix my dishwasher?" is not "How do I fix my wife?".
    """
    places = [n for n, word in enumerate(words) if not word.is_sign]
    texts = [words[n].text.lower() for n in places]
    length = starting_phrase(texts, known.openers)
    tail = texts[length:]
    if not length or not tail or texts[0] not in _ADDING:
        return False
    dropped = _dropped(blocks, edits)
    own = places[length:]
    return (
        _is_about_person(tail, dropped, known)
        or set(tail) <= _NEXT_STEPS
        or _changes_subject(tail, blocks, is_data=is_data)
        or _replaces_name([words[n] for n in own], dropped, known)
        or _mixes_sentences(blocks, edits, tail)
        or _loses_preposition(words, own[0], blocks, edits, known)
        or _loses_owner(words, own, edits)
        or _loses_question(own, blocks, edits)
    )


def _dropped(blocks: Sequence[Block], edits: Edits) -> list[tuple[str, Word]]:
    """What a question loses behind its beginning, each word with the one before it."""
    first = edits.insertions[0].span
    source = blocks[first.block]
    if source.role is not Role.USER:
        return []
    taken = {
        place
        for one in edits.insertions
        if one.span.block == first.block
        for place in range(one.span.first, one.span.last + 1)
    }
    sentence = _sentence(source.words, first.first)
    return [
        (source.words[n - 1].text.lower() if n > sentence.start else "", source.words[n])
        for n in sentence
        if n not in taken and not source.words[n].is_sign
    ]


def _sentence(words: Sequence[Word], place: int) -> range:
    """The places of the sentence that a word stands in."""
    ends = [n for n, word in enumerate(words) if word.text in _SENTENCE_ENDS]
    start = max((n + 1 for n in ends if n < place), default=0)
    return range(start, min((n for n in ends if n >= place), default=len(words)))


def _is_about_person(
    tail: Sequence[str], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether a fragment names a person, and nobody in the last question goes for them."""
    if set(tail) <= _SPEAKERS:
        return True
    is_person = len(tail) == _PAIR and tail[0] in determiners(known) and tail[1] in _PERSONS
    is_german = tail[0] in _GERMAN_ARTICLES | _GERMAN_POSSESSIVES
    return is_person and not any(
        _is_person(before, word, known) and (not is_german or _may_be_german_name(before, word))
        for before, word in dropped
    )


def _may_be_german_name(before: str, word: Word) -> bool:
    return before in _BEFORE_PERSONS or word.text.lower() in _PERSONS | _PRONOUNS | _SPEAKERS


def _is_person(before: str, word: Word, known: LanguageWords) -> bool:
    text = word.text.lower()
    is_name = word.text[0].isupper() and bool(before) and before not in determiners(known)
    in_place = before in _PLACE_PREPOSITIONS
    return text in _PERSONS | _PRONOUNS | _SPEAKERS or (is_name and not in_place)


def _changes_subject(tail: Sequence[str], blocks: Sequence[Block], *, is_data: bool) -> bool:
    """Whether a fragment is about the weather, a joke or a meal, and the last question is not."""
    last = next((block.words for block in blocks if block.role is Role.USER), ())
    said = {word.text.lower() for word in last}
    subjects = (_WEATHER, _JOKES, *((_MEALS,) if is_data else ()))
    return any(subject & set(tail) and not subject & said for subject in subjects)


def _replaces_name(
    tail: Sequence[Word], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether "the pool" takes the place of a name: "the opening hours of the library in the pool".

    German nouns all have capitals: there a name is what has no article.
    """
    if dropped and _replaces_time(tail[0], dropped[0], known):
        return True
    if len(tail) not in _NOUN_PHRASE or tail[0].text.lower() not in known.articles or not dropped:
        return False
    before, first = dropped[0]
    is_name = first.text[0].isupper() and before != ""
    if tail[-1].text.islower():
        return is_name
    return is_name and tail[0].text.lower() in _GERMAN_ARTICLES and before not in determiners(known)


def _replaces_time(first: Word, dropped: tuple[str, Word], known: LanguageWords) -> bool:
    """Whether "my pay" takes the place of a time: "the turnover in my pay", of "in March"."""
    before, word = dropped
    text = word.text.lower()
    is_time = text in known.months | known.weekdays or text[0].isdigit()
    follows = first.text.lower() in determiners(known) and before in known.prepositions
    return is_time and follows


def _mixes_sentences(blocks: Sequence[Block], edits: Edits, tail: Sequence[str]) -> bool:
    """Whether what follows a fragment stood in another sentence than what it follows.

    "What should I buy for my mother has a birthday?" has the sentence before the question in it.
    """
    first = edits.insertions[0]
    begins = blocks[first.span.block].role is Role.USER
    if not begins or not _OTHERS_POSSESSIVES.isdisjoint(tail):
        return False
    sentence = _sentence(blocks[first.span.block].words, first.span.first)
    return any(
        one.gap > first.gap
        and not one.connector
        and (one.span.block != first.span.block or one.span.first not in sentence)
        for one in edits.insertions[1:]
    )


def _loses_preposition(
    words: Sequence[Word],
    place: int,
    blocks: Sequence[Block],
    edits: Edits,
    known: LanguageWords,
) -> bool:
    """Whether a fragment's preposition goes, and no other stands there: "the cake fan oven"."""
    is_lost = place in edits.deleted and words[place].text.lower() in known.prepositions
    before = [one for one in edits.insertions if one.gap <= place + 1]
    return is_lost and bool(before) and not _ends_with_preposition(blocks, before[-1], known)


def _ends_with_preposition(
    blocks: Sequence[Block], insertion: Insertion, known: LanguageWords
) -> bool:
    said = blocks[insertion.span.block].words[insertion.span.first : insertion.span.last + 1]
    ends = {word.text.lower() for word in said[-_PAIR:]}
    return bool(insertion.connector) or not ends.isdisjoint(known.prepositions | known.contractions)


def _loses_owner(words: Sequence[Word], own: Sequence[int], edits: Edits) -> bool:
    """Whether "his" goes and nobody comes in for it: "What do I buy for wife?"."""
    gaps = {one.gap for one in edits.insertions}
    return any(
        place in edits.deleted
        and words[place].text.lower() in _OTHERS_POSSESSIVES
        and gaps.isdisjoint(range(place, place + 4))
        for place in own
    )


def _loses_question(own: Sequence[int], blocks: Sequence[Block], edits: Edits) -> bool:
    """Whether a question's end follows a fragment without its beginning: "The bike of Tom?"."""
    kept = [place for place in own if place not in edits.deleted]
    if len(kept) != len(own) or edits.insertions[0].gap <= kept[0]:
        return False
    sources = [blocks[one.span.block] for one in edits.insertions]
    asks = all(source.role is Role.USER and "?" in source.text for source in sources)
    ends = all(one.span.first >= _NEAR_BEGINNING for one in edits.insertions)
    return asks and ends
