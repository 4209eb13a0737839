"""Fragments that have no place in the last question, and what has none in a complete one."""

from dataclasses import replace

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.additions import (
    adds_noun,
    asks_nothing_of,
    joins_nouns,
    loses_infinitive,
    splits_sentence,
    with_copula,
)
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.fragments import has_no_place
from recollect.models.followup.sentences import doubles_determiner
from recollect.models.followup.soundness import is_sound


def edits_of(question: str, last: str, rewrite: str) -> tuple[list[Block], Edits]:
    """The edits that make a rewrite: `[words of the last question]` among words of the question."""
    block = Block(role=Role.USER, text=last, words=words_of(last))
    texts, source = ([w.text for w in words_of(text)] for text in (question, last))
    insertions: list[Insertion] = []
    gap, kept = 0, set[int]()
    for part in rewrite.replace("[", "|[").replace("]", "|").split("|"):
        said = [w.text for w in words_of(part.strip("["))]
        if part.startswith("["):
            first = next(n for n in range(len(source)) if source[n : n + len(said)] == said)
            span = Span(0, first, first + len(said) - 1)
            insertions.append(Insertion(gap=gap, span=span))
        else:
            for word in said:
                gap = texts.index(word, gap) + 1
                kept.add(gap - 1)
    signs = {n for n, text in enumerate(texts) if not text[0].isalnum()}
    deleted = frozenset(range(len(texts))) - kept - signs
    return [block], Edits(deleted=deleted, insertions=tuple(insertions))


def is_refused(language: str, last: str, question: str, rewrite: str, **facts: bool) -> bool:
    blocks, edits = edits_of(question, last, rewrite)
    return has_no_place(words_of(question), blocks, edits, words_for(language), **facts)


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("en", "How do I clean my oven?", "And my aunt?", "[How do I clean] my aunt"),
        ("nl", "Hoe was ik mijn gordijnen?", "En mijn tante?", "[Hoe was ik] mijn tante"),
        ("de", "Wie putze ich meine Brille?", "Und mein Bruder?", "[Wie putze ich] mein Bruder"),
        ("fr", "Comment laver mon manteau ?", "Et mon frère ?", "[Comment laver] mon frère"),
        ("es", "¿Cómo limpio mi horno?", "¿Y mi tía?", "[Cómo limpio] mi tía"),
        ("en", "When does the bank open?", "And me?", "[When does] me [open]"),
        ("nl", "Wat kost een zetel?", "En wij?", "[Wat kost een zetel] wij"),
    ],
)
def test_nobody_takes_the_place_of_a_thing(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_refused(language, last, question, rewrite)


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("en", "How tall is Oscar?", "And my aunt?", "[How tall is] my aunt"),
        ("fr", "Quand part le train de Zoé ?", "Et ma sœur ?", "[Quand part le train de] ma sœur"),
        ("nl", "Wat kook ik voor hem?", "En mijn tante?", "[Wat kook ik voor] mijn tante"),
        ("en", "What does my son need?", "And my aunt?", "[What does] my aunt [need]"),
        ("en", "How do I clean my oven?", "And my grill?", "[How do I clean] my grill"),
    ],
)
def test_somebody_takes_the_place_of_somebody(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert not is_refused(language, last, question, rewrite)


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "And then?"), ("nl", "En verder?"), ("de", "Und jetzt?"), ("fr", "Et après ?")],
)
def test_what_comes_next_changes_no_question(language: str, question: str) -> None:
    last = {"en": "How do I bake bread", "nl": "Hoe bak ik brood", "fr": "Comment faire du pain"}
    text = last.get(language, "Wie backe ich Brot")

    assert is_refused(language, text, question, f"[{text}] {question.split()[1].strip('?')}")


def test_the_weather_takes_the_place_of_nothing_but_weather() -> None:
    assert is_refused("en", "What does fuel cost?", "And the weather?", "[What does] the weather")
    assert not is_refused(
        "en", "Is the weather good in Rome?", "And the weather in Bari?", "[Is] the weather in Bari"
    )


def test_a_meal_takes_no_place_in_a_question_to_data() -> None:
    asked = ("en", "Show me the refunds by month", "What about lunch?", "[Show me] lunch")

    assert is_refused(*asked, is_data=True)
    assert not is_refused(*asked, is_data=False)


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("nl", "Wat kost een kamer in Genk?", "En de sauna?", "[Wat kost een kamer in] de sauna"),
        ("en", "How big is Dover?", "And the sheriff?", "[How big is] the sheriff"),
        ("en", "Who cooks in Dover?", "And the Easter dance?", "[Who cooks in] the Easter dance"),
        ("de", "Wie groß ist Trier?", "Und der Pfarrer?", "[Wie groß ist] der Pfarrer"),
        ("es", "¿Cuántos barrios tiene Soria?", "¿Y el cura?", "[Cuántos barrios tiene] el cura"),
    ],
)
def test_no_common_noun_takes_the_place_of_a_name(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_refused(language, last, question, rewrite)


def test_a_name_with_an_article_takes_the_place_of_a_name() -> None:
    assert not is_refused("en", "How high is Etna?", "And the Eiger?", "[How high is] the Eiger")
    assert not is_refused(
        "de", "Wie schwer ist der Bus?", "Und das Auto?", "[Wie schwer ist] das Auto"
    )


def test_a_question_takes_nothing_of_the_sentence_before_it() -> None:
    last = "My uncle Otto retires. What shall I cook for him?"

    assert is_refused("en", last, "And my aunt?", "[What shall I cook for] my aunt [Otto]")
    assert is_refused("en", last, "And my aunt?", "[What shall I cook for] my aunt [retires]")


def test_the_preposition_of_a_fragment_is_not_lost() -> None:
    last = "How long must the dough rest?"

    assert is_refused("en", last, "And without yeast?", "[How long must the dough] yeast [rest]")
    assert not is_refused(
        "en", "Who pays for Ada?", "And for my aunt Bo?", "[Who pays for] my aunt Bo"
    )


def test_the_owner_of_a_fragment_is_not_lost() -> None:
    last = "Wat kook ik voor hem?"

    assert is_refused("nl", last, "En voor zijn hond?", "[Wat kook ik] voor hond")


def test_a_fragment_takes_the_beginning_of_a_question_not_only_its_end() -> None:
    last = "Where is the ladder of Otto?"

    assert is_refused("en", last, "And the drill?", "the drill [of Otto]")
    assert is_refused("en", last, "And drills?", "drills [of Otto]")
    assert not is_refused("en", last, "And the drill?", "[Where is] the drill [of Otto]")


def test_a_correction_may_take_the_place_of_a_name() -> None:
    last = "How big is Victoria?"

    assert not is_refused("en", last, "I meant the lake", "[How big is] the lake")


def is_added(language: str, last: str, question: str, rewrite: str) -> bool:
    blocks, edits = edits_of(question, last, rewrite)
    return adds_noun(words_of(question), blocks, edits, words_for(language))


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("nl", "Wanneer is de quiz van Bo?", "Mag ik eten meebrengen?", "Mag ik eten meebrengen"),
        ("nl", "Wanneer is de quiz van Bo?", "Wie komt er?", "Wie komt er"),
        ("de", "Wann ist die Feier von Bo?", "Darf ich Gäste einladen?", "Darf ich Gäste einladen"),
        ("en", "When is the fair of Bo?", "Who is coming?", "Who is coming"),
        ("en", "When is the fair of Bo?", "Can I park my van?", "Can I park my van"),
        ("fr", "Quand est la foire de Bo ?", "Qui vient ?", "Qui vient"),
        ("es", "¿Cuándo es la feria de Bo?", "¿Quién viene?", "Quién viene"),
        ("en", "When is the fair of Bo?", "Which stall?", "Which stall"),
    ],
)
def test_no_noun_follows_a_question_that_is_complete(
    language: str, last: str, question: str, rewrite: str
) -> None:
    noun = " ".join(last.strip("¿ ?").split()[2:])

    assert is_added(language, last, question, f"{rewrite} [{noun}]")


def test_a_noun_follows_a_verb_that_has_none_yet() -> None:
    last = "Wat kost de lamp?"

    assert not is_added("nl", last, "Waar koop ik?", "Waar koop ik [de lamp]")
    assert not is_added(
        "nl", last, "Wanneer levert de winkel?", "Wanneer levert de winkel [de lamp]"
    )


def is_joined(language: str, last: str, question: str, rewrite: str) -> bool:
    blocks, edits = edits_of(question, last, rewrite)
    return joins_nouns(words_of(question), blocks, edits, words_for(language))


def test_two_things_do_not_stand_side_by_side() -> None:
    assert is_joined("nl", "Mijn kraan lekt", "En de douche?", "[Mijn kraan] de douche [lekt]")
    assert is_joined(
        "fr", "Combien coûte un vol pour Oslo ?", "Et le train ?", "[Combien coûte un vol] le train"
    )
    assert is_joined(
        "de",
        "Was sind die Preise der Saunen in Ulm?",
        "Und das Bad?",
        "[Was sind die Preise] das Bad",
    )
    assert not is_joined(
        "nl", "Wanneer brengt de bode het pak?", "En de brief?", "[Wanneer brengt de bode] de brief"
    )


def test_what_about_a_thing_does_not_follow_a_whole_question() -> None:
    last = "How do I clean my oven?"

    assert is_joined("en", last, "What about soap?", "[How do I clean my oven] soap")
    assert not is_joined("en", last, "What about tomorrow?", "[How do I clean my oven] tomorrow")


@pytest.mark.parametrize(
    ("language", "last", "question", "span"),
    [
        ("en", "When is the fair of Bo?", "Where?", "is the fair of Bo"),
        ("nl", "Wanneer is de kermis van Bo?", "Waar?", "is de kermis van Bo"),
        ("fr", "Quand est la foire de Bo ?", "Où ?", "est la foire de Bo"),
        ("es", "¿Cuándo es la feria de Bo?", "¿Dónde?", "es la feria de Bo"),
    ],
)
def test_a_question_word_takes_the_verb_with_the_noun(
    language: str, last: str, question: str, span: str
) -> None:
    words, noun = words_of(question), span.split(" ", 1)[1]
    blocks, edits = edits_of(question, last, f"{question.strip('¿ ?')} [{noun}]")
    known = words_for(language)

    assert asks_nothing_of(words, blocks, edits, known)
    mended = with_copula(words, blocks, edits, known)
    (only,) = mended.insertions
    assert " ".join(w.text for w in blocks[0].words[only.span.first : only.span.last + 1]) == span
    assert not asks_nothing_of(words, blocks, mended, known)


def test_no_word_of_the_history_comes_in_twice() -> None:
    lists = WordLists(
        function_words=frozenset(), pointers=frozenset(), discardable=frozenset({"and"})
    )
    blocks, edits = edits_of("And chairs?", "How many tables has Bo", "[How many] chairs [has Bo]")
    known = words_for("en")
    longer = replace(edits.insertions[0], span=Span(0, 0, 3))
    twice = replace(edits, insertions=(longer, *edits.insertions[1:]))

    assert is_sound(words_of("And chairs?"), blocks, edits, lists, known)
    assert not is_sound(words_of("And chairs?"), blocks, twice, lists, known)


def is_kept(language: str, last: str, question: str, rewrite: str, *lost: str) -> bool:
    """Whether edits are sound, with words of a question that may be lost."""
    blocks, edits = edits_of(question, last, rewrite)
    lists = WordLists(function_words=frozenset(), pointers=frozenset(lost), discardable=frozenset())
    return is_sound(words_of(question), blocks, edits, lists, words_for(language))


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("nl", "Hoeveel bruggen heeft Lier?", "En in Mol?", "[Hoeveel bruggen heeft] in Mol"),
        ("es", "¿Cuántos ríos tiene Soria?", "¿Y en León?", "[Cuántos ríos tiene] en León"),
    ],
)
def test_no_place_stands_where_a_verb_needs_its_subject(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert not is_kept(language, last, question, rewrite, "en", "y")


def test_a_time_may_stand_where_another_time_stood() -> None:
    last = "Quel temps fait-il à Huy demain ?"

    assert is_kept("fr", last, "Et après-demain ?", "[Quel temps fait-il à Huy] après-demain", "et")


def test_no_sentence_comes_in_before_the_verb_of_a_question() -> None:
    last, question = "Een recept voor linzensoep met munt", "Kan dat ook koud?"

    assert not is_kept("nl", last, question, f"[{last}] Kan ook koud", "dat")
    assert is_kept("nl", last, question, "Kan [linzensoep] ook koud", "dat")


@pytest.mark.parametrize(
    ("language", "rewrite"),
    [
        ("en", "When is Clara's the concert?"),
        ("en", "How do I clean my the grill?"),
        ("fr", "Comment nettoyer mon le four ?"),
        ("nl", "Toon een de winst"),
        ("de", "Wann ist das Fest von das Museum?"),
    ],
)
def test_no_article_stands_where_a_noun_must(language: str, rewrite: str) -> None:
    assert doubles_determiner(rewrite, "And?", words_for(language))
    assert not doubles_determiner(rewrite, rewrite, words_for(language))


@pytest.mark.parametrize(
    ("language", "rewrite"),
    [
        ("es", "¿Cómo quito el barro de una bota?"),
        ("fr", "Pourquoi laver de la laine ?"),
        ("en", "What's the price of Clara's concert?"),
        ("nl", "Wie zet het de kat voor?"),
    ],
)
def test_an_article_after_a_preposition_is_no_second_one(language: str, rewrite: str) -> None:
    assert not doubles_determiner(rewrite, "And?", words_for(language))


def is_split(language: str, last: str, question: str, rewrite: str) -> bool:
    blocks, edits = edits_of(question, last, rewrite)
    return splits_sentence(words_of(question), blocks, edits, words_for(language))


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("nl", "Mijn nicht heeft jeuk", "12,5", "[Mijn nicht] 12,5 [heeft jeuk]"),
        ("en", "Which plays run tonight?", "And snacks?", "[Which plays] snacks [run tonight]"),
        (
            "de",
            "Wie wird die Ernte in Ulm?",
            "Und das Bier?",
            "[Wie wird die Ernte] das Bier [in Ulm]",
        ),
        ("en", "I am flying to Oslo in June", "And my bike?", "[I am flying to Oslo] my bike"),
    ],
)
def test_a_noun_does_not_split_a_sentence_or_replace_a_phrase(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_split(language, last, question, rewrite)


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("de", "Wie wird die Ernte in Ulm?", "Und im Mai?", "[Wie wird die Ernte] im Mai [in Ulm]"),
        ("en", "Who sails to Oslo?", "And tomorrow?", "[Who sails] tomorrow [to Oslo]"),
        ("en", "How much is a bed in Oslo?", "And a desk?", "[How much is] a desk [in Oslo]"),
    ],
)
def test_a_phrase_may_split_a_sentence_and_a_noun_may_replace_another(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert not is_split(language, last, question, rewrite)


def test_the_verb_at_the_end_of_a_question_is_not_lost() -> None:
    def is_lost(question: str, last: str, rewrite: str) -> bool:
        blocks, edits = edits_of(question, last, rewrite)
        return loses_infinitive(words_of(question), blocks, edits, words_for("nl"))

    last = "Mag ik hier in de tuin roken?"

    assert is_lost("En binnen?", last, "[Mag ik] binnen")
    assert not is_lost("En binnen?", last, "[Mag ik] binnen [roken]")
    assert not is_lost("En hier slapen?", "Wat is de prijs van bloemen?", "[Wat is] hier slapen")


@pytest.mark.parametrize(
    ("language", "last", "question", "rewrite"),
    [
        ("de", "Wer backt die Torte für Lea?", "Wann?", "Wann [backt die Torte für Lea]"),
        ("en", "Who wrote the hymn?", "When?", "When [wrote the hymn]"),
        ("nl", "Wanneer belt dokter Claes?", "Waar?", "Waar [dokter Claes]"),
        ("nl", "Ik wacht op Bpost", "Tot wanneer?", "Tot wanneer [Bpost]"),
    ],
)
def test_a_question_word_gets_a_verb_and_a_subject(
    language: str, last: str, question: str, rewrite: str
) -> None:
    blocks, edits = edits_of(question, last, rewrite)

    assert asks_nothing_of(words_of(question), blocks, edits, words_for(language))


def test_a_question_word_takes_a_question_that_has_its_subject() -> None:
    last = "Where does the ferry stop?"
    blocks, edits = edits_of("Why?", last, "Why [does the ferry stop]")

    assert not asks_nothing_of(words_of("Why?"), blocks, edits, words_for("en"))
