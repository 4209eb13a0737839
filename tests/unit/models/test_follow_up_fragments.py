"""Fragments that have no place in the last question."""

from dataclasses import replace

import pytest

from recollect.domain.followup.edits import Span
from recollect.domain.followup.languages import read_words, words_for
from recollect.models.followup.checks.fragments import has_no_place
from recollect.models.followup.checks.sentences import doubles_determiner
from recollect.models.followup.checks.soundness import is_sound
from recollect.models.followup.confidence import WordLists
from support.edited_questions import edited_question, edited_to
from support.followups import edits_of
from support.tables import for_each


def is_refused(language: str, last: str, question: str, rewrite: str, **facts: bool) -> bool:
    edited = edited_to(rewrite, language=language, last=last, question=question, **facts)
    return has_no_place(edited)


@for_each(
    ("language", "last", "question", "rewrite"),
    [
        ("en", "How do I clean my oven?", "And my aunt?", "[How do I clean] my aunt"),
        ("nl", "Hoe was ik mijn gordijnen?", "En mijn tante?", "[Hoe was ik] mijn tante"),
        ("de", "Wie putze ich meine Brille?", "Und mein Bruder?", "[Wie putze ich] mein Bruder"),
        ("fr", "Comment laver mon manteau ?", "Et mon frère ?", "[Comment laver] mon frère"),
        ("es", "¿Cómo limpio mi horno?", "¿Y mi tía?", "[Cómo limpio] mi tía"),
        ("en", "When does the bank open?", "And me?", "[When does] me [open]"),
        ("nl", "Wat kost een zetel?", "En wij?", "[Wat kost een zetel] wij"),
        ("de", "Wie brate ich Fisch?", "Und mein Onkel?", "[Wie brate ich] mein Onkel"),
        ("es", "¿Cómo se lava un abrigo?", "¿Y mi suegro?", "[Cómo se lava] mi suegro"),
    ],
)
def test_nobody_takes_the_place_of_a_thing(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_refused(language, last, question, rewrite)


@for_each(
    ("language", "last", "question", "rewrite"),
    [
        ("en", "How tall is Oscar?", "And my aunt?", "[How tall is] my aunt"),
        ("fr", "Quand part le train de Zoé ?", "Et ma sœur ?", "[Quand part le train de] ma sœur"),
        ("nl", "Wat kook ik voor hem?", "En mijn tante?", "[Wat kook ik voor] mijn tante"),
        ("en", "What does my son need?", "And my aunt?", "[What does] my aunt [need]"),
        ("en", "How do I clean my oven?", "And my grill?", "[How do I clean] my grill"),
        ("de", "Wie groß ist Emil?", "Und mein Onkel?", "[Wie groß ist] mein Onkel"),
    ],
)
def test_somebody_takes_the_place_of_somebody(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert not is_refused(language, last, question, rewrite)


@for_each(
    ("language", "question"),
    [
        ("en", "And back?"),
        ("en", "And then?"),
        ("nl", "En verder?"),
        ("de", "Und jetzt?"),
        ("fr", "Et après ?"),
    ],
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


@for_each(
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


@for_each(
    ("question", "rewrite"),
    [
        ("And my wife?", "[How do I fix] my wife"),
        ("And the weather?", "[How do I fix] the weather"),
        ("And then?", "[How do I fix my] then"),
    ],
)
def test_a_language_without_lists_of_words_refuses_nothing(question: str, rewrite: str) -> None:
    blocks, edits = edits_of(question, "How do I fix my dishwasher?", rewrite)
    lists = 'openers = "and"\narticles = "the"\npossessives = "my"\n'
    bare = read_words(f'{lists}adding_starts = "and"')

    assert has_no_place(edited_question(question, blocks, edits, words_for("en")))
    assert not has_no_place(edited_question(question, blocks, edits, bare))
    assert not has_no_place(edited_question(question, blocks, edits, read_words(lists)))


def test_no_word_of_the_history_comes_in_twice() -> None:
    lists = WordLists(
        function_words=frozenset(), pointers=frozenset(), discardable=frozenset({"and"})
    )
    last, rewrite = "How many tables has Bo", "[How many] chairs [has Bo]"
    edited = edited_to(rewrite, language="en", last=last, question="And chairs?", lists=lists)
    longer = replace(edited.first, span=Span(0, 0, 3))
    twice = replace(edited.edits, insertions=(longer, *edited.edits.insertions[1:]))

    assert is_sound(edited)
    assert not is_sound(replace(edited, edits=twice))


def is_kept(language: str, last: str, question: str, rewrite: str, *lost: str) -> bool:
    """Whether edits are sound, with words of a question that may be lost."""
    lists = WordLists(
        function_words=frozenset({"kan"}), pointers=frozenset(lost), discardable=frozenset()
    )
    return is_sound(
        edited_to(rewrite, language=language, last=last, question=question, lists=lists)
    )


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
    ("language", "last", "question", "rewrite"),
    [
        (
            "de",
            "Was ist die Firewall Ost?",
            "wie teste ich die?",
            "wie teste ich die [Firewall Ost]",
        ),
        ("fr", "Prix du permis AM", "Il faut ça pour un bus ?", "Il faut [permis AM] pour un bus"),
    ],
)
def test_a_word_that_means_something_else_in_another_language_refuses_nothing(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_kept(language, last, question, rewrite, "ça")


@for_each(
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


@for_each(
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


def test_no_noun_takes_the_place_of_a_time() -> None:
    last = "Wat was de opbrengst in mei?"

    assert is_refused("nl", last, "En mijn huur?", "[Wat was de opbrengst in] mijn huur")
    assert not is_refused("nl", last, "En in juni?", "[Wat was de opbrengst] in juni")


@for_each(
    ("language", "last", "question", "rewrite", "is_lost"),
    [
        ("en", "Who is the CEO of Acme?", "And the CFO?", "[Who is the CEO of] CFO", True),
        ("nl", "Wie is de CEO van Philips?", "En de CFO?", "[Wie is de CEO van] CFO", True),
        ("en", "What is the GDP of France?", "And the UK?", "[What is the GDP of] the UK", False),
        ("en", "Count the open tickets", "and the new?", "[Count the open] new", False),
        ("fr", "Qui dirige celui de Metz ?", "Et le Mans ?", "[Qui dirige celui de] Mans", False),
    ],
)
def test_a_fragment_keeps_its_article_behind_of(
    language: str, last: str, question: str, rewrite: str, *, is_lost: bool
) -> None:
    assert is_refused(language, last, question, rewrite) is is_lost


@for_each(
    ("language", "last", "question", "rewrite"),
    [
        (
            "en",
            "How much salt goes in a brine?",
            "and how much dill?",
            "how much dill [goes in a brine]",
        ),
        (
            "nl",
            "Hoeveel leden telt de club?",
            "en hoeveel coaches?",
            "hoeveel coaches [telt de club]",
        ),
        ("de", "Welche Vorwahl hat Malta?", "Und welche Währung?", "welche Währung [hat Malta]"),
        ("fr", "Quels bus sont en retard ?", "et quels trams ?", "quels trams [sont en retard]"),
        ("es", "¿Qué coches tienen multa?", "¿y qué motos?", "qué motos [tienen multa]"),
        ("en", "Where was the treaty sealed?", "And is it in force?", "is [the treaty] in force"),
    ],
)
def test_a_fragment_that_asks_by_itself_needs_no_other_beginning(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert not is_refused(language, last, question, rewrite)


def test_the_end_of_a_question_behind_a_noun_is_none() -> None:
    assert is_refused(
        "en", "What is the colour of Tom's car?", "And the bike?", "the bike [of Tom]"
    )


@for_each(
    ("language", "last", "question", "rewrite"),
    [
        ("en", "How long is the flight to Rome?", "And how dear?", "how dear [the flight to Rome]"),
        ("en", "How hard is it to swim here?", "And how deep?", "how deep [to swim here]"),
        ("en", "How many people does it employ?", "And how old?", "how old [people]"),
        ("en", "When was the tower built?", "And who by?", "who by [the tower]"),
        ("nl", "Hoe oud is Ajax?", "En hoe duur?", "hoe duur [Ajax]"),
        ("de", "Wie alt ist Tom?", "Und wie sicher?", "wie sicher [Tom]"),
    ],
)
def test_a_question_word_without_a_verb_is_no_question(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_refused(language, last, question, rewrite)
