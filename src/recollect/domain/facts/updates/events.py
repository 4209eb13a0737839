"""Which of the known facts an event plainly ends; none where it may be one or another."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.facts.fact import MERGED_BY, Fact, gist_of
from recollect.domain.facts.reading.introductions import names_somebody
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.denying.denials import bare_words
from recollect.domain.facts.reading.plain.denying.tails import heads_of
from recollect.domain.facts.reading.plain.employers import tells_employer
from recollect.domain.facts.reading.plain.events import Event, EventKind, tells_day
from recollect.domain.facts.reading.plain.languages.events import event_words
from recollect.domain.facts.reading.plain.slots import told_value
from recollect.domain.facts.slots import Slot, has_one_value
from recollect.domain.facts.statement import Statement
from recollect.domain.facts.updates.reconciling import NOTHING, Outcome
from recollect.domain.speech.phrases import LANGUAGES, Phrase, spelled_words_in, words_in


def known_before(message: Message, known: Sequence[Fact]) -> list[Fact]:
    """The facts that held before a message; what it says itself is no part of what it ends."""
    return [
        one
        for one in known
        if one.valid_from <= message.created_at
        and (one.evidence is None or one.evidence.message_id != message.message_id)
    ]


def may_end_something(event: Event, known: Sequence[Fact]) -> bool:
    """Whether an event may mean a known fact: people deny much of which nothing is known."""
    return event.kind is not EventKind.DENIED or bool(ended_by(event, known))


def outcome_of(event: Event, known: Sequence[Fact]) -> Outcome:
    """What becomes of the known facts.

    An appointment on another day becomes a fact itself, and so does what the user is from then on.
    """
    ended = ended_by(event, known)
    if not ended:
        return NOTHING
    is_known = any(one.says(gist_of(event.quote)) for one in known)
    if event.kind is EventKind.MOVED or (event.is_state and not is_known):
        return Outcome(is_new=True, supersedes=ended)
    return Outcome(retracts=ended)


def slot_after(event: Event, statement: Statement, outcome: Outcome) -> Statement:
    """The statement of an event with the slot of the fact whose place it takes."""
    slots = [one.slot for one in outcome.supersedes if one.slot in set(Slot)]
    is_moved = event.kind is EventKind.MOVED and len(slots) == 1
    return replace(statement, slot=Slot(slots[0])) if is_moved and slots[0] else statement


def ended_by(event: Event, known: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts that an event plainly ends."""
    match event.kind:
        case EventKind.JOB_ENDED:
            return _of_job(event, known)
        case EventKind.PARTED | EventKind.DIVORCED:
            return _of_couple(event, known)
        case EventKind.DIED:
            return _of_animal(event, known)
        case EventKind.MOVED:
            return _of_appointment(event, known)
        case EventKind.DENIED:
            return tuple(one for one in known if _is_denied(one, event.named))


def _is_denied(fact: Fact, denied: Phrase) -> bool:
    """Whether a denial has the words of a fact, without what that tells more of the same thing.

    "I don't live in Hull" denies "I live in Hull near the station", and "I don't have a bike"
    denies "I have a bike, a red Gazelle".
    """
    if MERGED_BY in fact.content:
        return False
    texts = (fact.content, *heads_of(fact.content))
    if any(denied in bare_words(text) for text in texts):
        return True
    slot = Slot(fact.slot) if has_one_value(fact.slot) and fact.slot in set(Slot) else None
    value = told_value(fact.content, slot) if slot else None
    return value is not None and denied in bare_words(fact.content[: value.end])


def _of_job(event: Event, known: Sequence[Fact]) -> tuple[Fact, ...]:
    """The only employer, or the only one that is named."""
    found = [one for one in known if one.slot == Slot.EMPLOYER or tells_employer(one.content)]
    is_named = [one for one in found if set(event.named) == _employers_in(one)]
    named = is_named if event.named else found
    return tuple(named) if len(named) == 1 and not _is_merged(named) else ()


def _employers_in(fact: Fact) -> set[str]:
    """The words of a fact with a capital, without the first: not the "work" of "I left work"."""
    spelled = spelled_words_in(fact.content)[1:]
    return {word for one in spelled if one[0].isupper() for word in words_in(one)}


def _of_couple(event: Event, known: Sequence[Fact]) -> tuple[Fact, ...]:
    """What is known of the partner, if facts name no other one, and of being a couple."""
    is_divorce = event.kind is EventKind.DIVORCED
    partners = {one.fact_id: _partner_of(one.content) for one in known}
    nouns = {noun for noun in partners.values() if noun and (not is_divorce or _is_spouse(noun))}
    if event.partner:
        return _of_named_partner(event.partner, known, partners)
    is_sure = bool(event.named) or len(nouns) <= 1
    meant = {event.named} if event.named else nouns
    is_together = _is_of_marriage if is_divorce else _is_of_couple
    found = [one for one in known if partners[one.fact_id] in meant or is_together(one)]
    return tuple(found) if is_sure and all(map(_is_of_partner_alone, found)) else ()


def _of_named_partner(
    name: Phrase, known: Sequence[Fact], partners: Mapping[UUID, Phrase]
) -> tuple[Fact, ...]:
    """What is known of the partner of that name; nothing if facts name them as nobody's partner."""
    about = [one for one in known if partners[one.fact_id] or _is_of_couple(one)]
    named = [one for one in about if set(name) <= set(words_in(one.content))]
    if not named or not all(map(_is_of_partner_alone, named)):
        return ()
    nouns = {partners[one.fact_id] for one in named} - {()}
    others = [one for one in about if one not in named and not names_somebody(one.content)]
    beside = [one for one in others if not partners[one.fact_id] or partners[one.fact_id] in nouns]
    return tuple(one for one in known if one in named or one in beside)


def _is_spouse(noun: Phrase) -> bool:
    return any(event_words(code).spouses.length_at(noun) > 0 for code in LANGUAGES)


def _is_of_partner_alone(fact: Fact) -> bool:
    """Whether all that was merged into a fact is about the partner."""
    parts = fact.content.split(MERGED_BY)
    return len(parts) == 1 or all(map(_partner_of, parts))


def _partner_of(content: str) -> Phrase:
    """The partner whom a fact names: "girlfriend" of "My girlfriend is Ann"; or nobody.

    Not the partner of "My partner in the firm is Bob".
    """
    words = words_in(content)
    for code in LANGUAGES:
        if owned := fact_words(code).owners.length_at(words):
            known = event_words(code)
            length = known.partners.length_at(words, owned)
            end = owned + length
            if length and (end == len(words) or known.called.length_at(words, end)):
                return words[owned:end]
    return ()


def _is_of_couple(fact: Fact) -> bool:
    words = words_in(fact.content)
    known = [event_words(code) for code in LANGUAGES]
    return any(one.coupled.length_at(words) or one.coupled_around.begin(words) for one in known)


def _is_of_marriage(fact: Fact) -> bool:
    words = words_in(fact.content)
    known = [event_words(code) for code in LANGUAGES]
    return any(one.married.length_at(words) or one.married_around.begin(words) for one in known)


def _of_animal(event: Event, known: Sequence[Fact]) -> tuple[Fact, ...]:
    """What is known of an animal, if it is not one of several of which a fact tells."""
    about = [one for one in known if _animals_in(one)]
    pets = [one for one in about if _is_of_animal(one)]
    if event.named:
        found = [one for one in known if set(event.named) <= set(words_in(one.content))]
        is_other = any(one not in pets or not _is_called(one, event.named) for one in found)
        if event.animal:
            is_other = is_other or any(event.animal not in _animals_in(one) for one in found)
    else:
        found = [one for one in pets if event.animal in _animals_in(one)]
        is_other = len({name for one in found for name in _names_in(one)}) > 1
        is_other = is_other or any(_has_plural(one, event.animal) for one in about)
    is_clear = not is_other and not any(map(_tells_of_several, found))
    return tuple(found) if is_clear else ()


def _is_of_animal(fact: Fact) -> bool:
    """Whether a fact is about an animal of the user's: not "I have a dog allergy"."""
    words = words_in(fact.content)
    for code in LANGUAGES:
        if owned := fact_words(code).owners.length_at(words):
            return event_words(code).pets.length_at(words, owned) > 0
    return fact.slot == Slot.PET


def _is_called(fact: Fact, name: Phrase) -> bool:
    """Whether a name stands right behind the animal, or behind "is called"."""
    words = words_in(fact.content)
    place = words.index(name[0])
    return any(
        at + phrases.length_at(words, at) == place
        for code in LANGUAGES
        for phrases in (event_words(code).pets, event_words(code).called)
        for at in phrases.places_in(words)
    )


def _animals_in(fact: Fact) -> set[Phrase]:
    words = words_in(fact.content)
    return {
        words[at : at + pets.length_at(words, at)]
        for pets in (event_words(code).pets for code in LANGUAGES)
        for at in pets.places_in(words)
    }


def _names_in(fact: Fact) -> set[str]:
    """The last words of a fact's parts, where they are written as names."""
    parts = (part.rstrip(".!").split()[-1:] for part in fact.content.split(MERGED_BY))
    return {word for last in parts for word in last if word[0].isupper()}


def _has_plural(fact: Fact, animal: Phrase) -> bool:
    """Whether a fact has the word for the animal in another form: "dogs"."""
    words = words_in(fact.content)
    stem = animal[-1][:-1] if len(animal[-1]) > len("cats") else animal[-1]
    return any(word.startswith(stem) and word != animal[-1] for word in words)


def _tells_of_several(fact: Fact) -> bool:
    words = words_in(fact.content)
    joins = any(fact_words(code).joints.are_in(words) for code in LANGUAGES)
    is_many = len(_animals_in(fact)) > 1 or len(_names_in(fact)) > 1
    return joins or is_many or "," in words


def _of_appointment(event: Event, known: Sequence[Fact]) -> tuple[Fact, ...]:
    """The only fact that tells the day of the same thing."""
    found = [one for one in known if _tells_day(words_in(one.content), event.named)]
    return tuple(found) if len(found) == 1 and not _is_merged(found) else ()


def _tells_day(words: Phrase, subject: Phrase) -> bool:
    end = len(subject)
    if words[:end] != subject or len(words) <= end + 1:
        return False
    return any(
        phrases.length_at(words, end) > 0 and tells_day(words[end:], event_words(code))
        for code in LANGUAGES
        for phrases in (fact_words(code).naming, event_words(code).moved)
    )


def _is_merged(facts: Sequence[Fact]) -> bool:
    """Whether one of the facts tells something else as well."""
    return any(MERGED_BY in one.content for one in facts)
