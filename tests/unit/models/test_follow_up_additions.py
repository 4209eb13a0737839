"""What edits add to a question without a place for it."""

from dataclasses import replace

from recollect.models.followup.checks.additions import (
    adds_noun,
    adds_sentence,
    asks_nothing_of,
    joins_nouns,
    loses_infinitive,
    splits_sentence,
    with_copula,
)
from support.edited_questions import edited_to
from support.tables import for_each


def is_added(language: str, last: str, question: str, rewrite: str) -> bool:
    return adds_noun(edited_to(rewrite, language=language, last=last, question=question))


@for_each(
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


@for_each(
    ("language", "last", "question", "rewrite"),
    [
        ("de", "Wo ist mein Paket?", "Was zahle ich?", "Was zahle ich [mein Paket]"),
        ("en", "I shall visit Otto", "Who shall I visit?", "Who shall I visit [Otto]"),
        ("nl", "Ik wil mijn kaart wissen", "En de prijs?", "de prijs [mijn kaart wissen]"),
    ],
)
def test_no_noun_follows_a_question_for_one_or_another_noun(
    language: str, last: str, question: str, rewrite: str
) -> None:
    assert is_added(language, last, question, rewrite)


def test_no_statement_follows_a_question() -> None:
    def is_followed(last: str, question: str, rewrite: str) -> bool:
        return adds_sentence(edited_to(rewrite, language="en", last=last, question=question))

    last = "Wake me up at six"

    assert is_followed(last, "Which bell rings?", f"Which bell rings [{last}]")
    assert not is_followed(last, "Which bell rings?", "Which bell rings [at six]")
    assert not is_followed("Did the old bell ring?", "Why?", "Why [Did the old bell ring]")


def test_a_noun_follows_a_verb_that_has_none_yet() -> None:
    last = "Wat kost de lamp?"

    assert not is_added("nl", last, "Waar koop ik?", "Waar koop ik [de lamp]")
    assert not is_added(
        "nl", last, "Wanneer levert de winkel?", "Wanneer levert de winkel [de lamp]"
    )


def is_joined(language: str, last: str, question: str, rewrite: str) -> bool:
    return joins_nouns(edited_to(rewrite, language=language, last=last, question=question))


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


@for_each(
    ("language", "last", "question", "span"),
    [
        ("en", "When is the fair of Bo?", "Where?", "is the fair of Bo"),
        ("nl", "Wanneer is de kermis van Bo?", "Waar?", "is de kermis van Bo"),
        ("fr", "Quand est la foire de Bo ?", "Où ?", "est la foire de Bo"),
        ("es", "¿Cuándo es la feria de Bo?", "¿Dónde?", "es la feria de Bo"),
        ("en", "Is the fair of Bo open?", "Where?", "Is the fair of Bo open"),
    ],
)
def test_a_question_word_takes_the_verb_with_the_noun(
    language: str, last: str, question: str, span: str
) -> None:
    noun = span.split(" ", 1)[1]
    rewrite = f"{question.strip('¿ ?')} [{noun}]"
    edited = edited_to(rewrite, language=language, last=last, question=question)
    mended = replace(edited, edits=with_copula(edited))

    assert asks_nothing_of(edited)
    assert " ".join(word.text for word in mended.inserted(mended.first)) == span
    assert not asks_nothing_of(mended)


def is_split(language: str, last: str, question: str, rewrite: str) -> bool:
    return splits_sentence(edited_to(rewrite, language=language, last=last, question=question))


@for_each(
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


@for_each(
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
        return loses_infinitive(edited_to(rewrite, language="nl", last=last, question=question))

    last = "Mag ik hier in de tuin roken?"

    assert is_lost("En binnen?", last, "[Mag ik] binnen")
    assert not is_lost("En binnen?", last, "[Mag ik] binnen [roken]")
    assert not is_lost("En hier slapen?", "Wat is de prijs van bloemen?", "[Wat is] hier slapen")


@for_each(
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
    assert asks_nothing_of(edited_to(rewrite, language=language, last=last, question=question))


def test_a_question_word_takes_a_question_that_has_its_subject() -> None:
    last, rewrite = "Where does the ferry stop?", "Why [does the ferry stop]"

    assert not asks_nothing_of(edited_to(rewrite, language="en", last=last, question="Why?"))
