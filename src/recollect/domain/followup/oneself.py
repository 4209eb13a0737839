"""Questions of users about themselves, which no statement of theirs completes.

"How many children do I have?" after "I live in Leeds" is not about children in Leeds. Such a
question asks for what is known of the user, points to nothing and asks for no advice: "Do I need a
visa?" after "I am going to Japan" may be completed.
"""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.chit_chat import is_chit_chat
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import Word, straight_words, words_of
from recollect.domain.followup.languages import LanguageWords, phrase_places, starting_phrase
from recollect.domain.language import content_words

_LONGEST: Final = 120  # characters of a question
_LONGEST_STATEMENT: Final = 400  # characters that are read of one
_LONE: Final = 2  # words: "qwerty asdf"
_NAMED: Final = 3  # words: "my old cat"
_FEWEST: Final = 2  # words of a statement
_RECENT: Final = 6  # messages, of which small talk is passed over
_OPENING: Final = 3  # words
_ADJECTIVE: Final = 3  # an article's noun is at the most so many words behind it
_PARTICIPLE_BEGINNINGS: Final = ("ge", "ver", "be", "ont", "her")
_PARTICIPLE_ENDINGS: Final = ("d", "t", "en")


def follows_own_words(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> bool:
    """Whether a question about oneself follows a statement about oneself, or another such question.

    After any other question the two may belong together: "How many orders do I have?" after "Show
    the orders of 2023". A statement does not complete "And my cat?", either, nor does any of the
    two complete a lone word such as "asdf". Nor does a question to the world complete one for
    something of the user's with which it shares no word: "What is my favourite colour?" after "Who
    won the war?".
    """
    asks = asks_about_oneself(question, known) or _is_lone_word(question, history, known)
    if not asks and not _names_own_thing(question, known):
        return False
    said = (one.content for one in reversed(history[-_RECENT:]) if one.role is Role.USER)
    last = next((one for one in said if not _opens_no_topic(one, known, language)), None)
    if last is None or states_about_oneself(last, known):
        return True
    return asks and (asks_about_oneself(last, known) or _is_apart(question, last, known, language))


def asks_about_oneself(question: str, known: LanguageWords) -> bool:
    """Whether a question asks for what is known of the user, in a sentence of its own."""
    if len(question) > _LONGEST:
        return False
    texts = straight_words(question)
    texts = texts[starting_phrase(texts, known.openers) :]
    return (
        not known.self_words.isdisjoint(texts)
        and not _asks_for_advice(texts, known)
        and _begins_question(texts, known, is_asked="?" in question)
        and not _points_back(words_of(question), known)
    )


def states_about_oneself(message: str, known: LanguageWords) -> bool:
    """Whether a message says something of the user, and neither asks for anything nor wishes it."""
    text = message[:_LONGEST_STATEMENT]
    texts = straight_words(text)
    texts = texts[starting_phrase(texts, known.openers) :]
    if "?" in text or len(texts) < _FEWEST or not known.wish_words.isdisjoint(texts):
        return False
    first, second = texts[0], texts[1]
    has_verb = first.endswith(tuple(known.self_endings)) if known.self_endings else False
    own = known.self_words | known.we_words
    is_of_user = has_verb or not own.isdisjoint(texts)
    if first in known.remember_words:
        return is_of_user
    if first in known.asking_words | known.requests | known.trailing:
        return False
    begins = first in own | known.small_words or second in known.asking_verbs
    speaks = not known.self_subjects.isdisjoint(texts[:_OPENING])  # "Yesterday I sold my boat"
    return is_of_user and (begins or has_verb or speaks)


def _opens_no_topic(message: str, known: LanguageWords, language: str) -> bool:
    """Whether a message is small talk, or is neither a sentence nor a request: "2+2", "asdf"."""
    if is_chit_chat(message, language):
        return True
    texts = straight_words(message[:_LONGEST_STATEMENT])
    asks = starting_phrase(texts, known.data_questions) or not known.requests.isdisjoint(texts[:1])
    is_sentence = not known.small_words.isdisjoint(texts) or bool(known.self_endings)
    return not asks and not is_sentence and "?" not in message


def _is_lone_word(question: str, history: Sequence[HistoryMessage], known: LanguageWords) -> bool:
    """Whether a message is a word or two that neither asks nor answers, and points to nothing."""
    texts = straight_words(question) if len(question) <= _LONGEST else ()
    if not 0 < len(texts) <= _LONE or "?" in question:
        return False
    is_answer = bool(history) and history[-1].role is Role.ASSISTANT and "?" in history[-1].content
    others = known.small_words | known.pointers | known.months | known.weekdays
    is_plain = others.isdisjoint(texts) and not starting_phrase(texts, known.fragments)
    has_value = any(text[0].isdigit() for text in texts)
    return is_plain and not is_answer and not has_value


def _is_apart(question: str, last: str, known: LanguageWords, language: str) -> bool:
    """Whether a question names something of the user's, and the last one asks of the world."""
    texts, before = (straight_words(one[:_LONGEST_STATEMENT]) for one in (question, last))
    is_owned = not (known.possessives & known.self_words).isdisjoint(texts)
    asks_data = starting_phrase(before, known.data_questions) or starting_phrase(
        before, known.data_requests
    )
    is_request = "?" not in last or not known.requests.isdisjoint(before[:1])
    if not is_owned or asks_data or is_request:
        return False
    shared = {word.lower() for word in content_words(question, language)}
    return shared.isdisjoint(word.lower() for word in content_words(last, language))


def _names_own_thing(question: str, known: LanguageWords) -> bool:
    """Whether a fragment names something of the user's: "And my cat?"."""
    texts = straight_words(question) if len(question) <= _LONGEST else ()
    opener = starting_phrase(texts, known.openers)
    own = known.possessives.intersection(texts[opener : opener + 1])
    is_owned = not (known.self_words | known.we_words).isdisjoint(own)
    return opener > 0 and is_owned and len(texts) - opener <= _NAMED


def _asks_for_advice(texts: Sequence[str], known: LanguageWords) -> bool:
    phrase = next(phrase_places(texts, known.advice_phrases), None)
    return phrase is not None or not known.advice_words.isdisjoint(texts)


def _begins_question(texts: Sequence[str], known: LanguageWords, *, is_asked: bool) -> bool:
    """Whether words begin as a whole question does, and no "how" asks for advice."""
    first, second = texts[0], texts[1] if len(texts) > 1 else ""
    if first in known.how_words:
        return second in known.how_of_self
    if first in known.asking_words:
        return first not in known.which_words or second != known.of_word  # "which of my orders"
    if first in known.prepositions | known.contractions:
        return second in known.asking_words
    if first in known.asking_verbs:
        return True
    is_inverted = second in known.subject_pronouns and not known.helping_verbs
    is_statement = first in known.subject_pronouns | known.self_subjects  # "j'ai des enfants ?"
    return is_inverted or (is_asked and is_statement and bool(known.object_articles))


def _points_back(words: Sequence[Word], known: LanguageWords) -> bool:
    """Whether a word points to something said before; an article before its noun does not."""
    spoken = [n for n, word in enumerate(words) if not word.is_sign]
    pointing = (
        known.pointers
        | known.pointing_words
        | known.demonstratives
        | known.person_pronouns
        | known.others_possessives
        | known.plural_pointers
    ) - known.self_words
    return any(
        words[n].text.lower() in pointing
        and not _is_article(words, n, known)
        and not _is_part(words, n, known)
        for n in spoken
    )


def _is_part(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether a word is the "ce" of "est-ce que", or cut from another: "par-le"."""
    before = words[place - 1] if place else None
    if before is None or before.end != words[place].start:
        return False
    is_cut = before.text[-1].isalnum() and not known.self_endings  # pronouns in Spanish alone
    return is_cut or (before.text == "-" and words[place].text.lower() in known.demonstratives)


def _is_article(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    word = words[place].text.lower()
    following = words[place + 1] if place + 1 < len(words) else None
    if following is None or following.is_sign or following.text.lower() in known.small_words:
        return False
    if word in known.object_articles:
        return not _is_before_verb(words, place, known)
    if word not in known.articles:
        return False
    if known.capital_determiners:  # a language whose nouns all have a capital
        return any(one.text[0].isupper() for one in words[place + 1 : place + _ADJECTIVE])
    text = following.text.lower()
    is_participle = text.startswith(_PARTICIPLE_BEGINNINGS) and text.endswith(_PARTICIPLE_ENDINGS)
    return word not in known.demonstratives and not is_participle


def _is_before_verb(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether "les" or "las" is a pronoun: "je les aime", "las compré", not "ai-je les clés"."""
    if known.self_endings:
        text = words[place + 1].text.lower()
        return text in known.self_words or text.endswith(("é", "í"))
    before = words[place - 1].text.lower() if place else ""
    is_inverted = place > 1 and words[place - 2].text == "-"
    return before in known.subject_pronouns and not is_inverted
