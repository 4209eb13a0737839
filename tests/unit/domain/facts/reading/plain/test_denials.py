"""A plain denial has the words of what it denies, and no other."""

from recollect.domain.facts.reading.plain.denying.denials import bare_words, denied_words, limits_in
from recollect.domain.speech.phrases import words_in
from support.tables import for_each


@for_each(
    ("code", "denial", "denied"),
    [
        ("en", "I don't live in Hull any more", "I live in Hull"),
        ("en", "No, I do not live in Hull", "I live in Hull"),
        ("en", "I no longer live in Hull", "I live in Hull now"),
        ("en", "My name isn't Jan", "My name is Jan"),
        ("en", "I'm not married", "I'm married"),
        ("en", "I don't have a dog", "I have a dog"),
        ("nl", "Ik woon niet meer in Gent", "Ik woon in Gent"),
        ("nl", "Ik woon nu niet meer in Gent", "Ik woon nu in Gent"),
        ("nl", "Ik heb geen hond meer", "Ik heb een hond"),
        ("de", "Ich wohne nicht mehr in Köln", "Ich wohne in Köln"),
        ("de", "Ich habe keinen Hund", "Ich habe einen Hund"),
        ("fr", "Je n'habite plus à Lyon", "J'habite à Lyon"),
        ("fr", "Je n'ai pas de chien", "J'ai un chien"),
        ("es", "Ya no vivo en Lugo", "Vivo en Lugo"),
        ("es", "No, no tengo perro", "Tengo un perro"),
        ("es", "No vivo más en Lugo", "Vivo en Lugo"),
        ("nl", "Ik ben helemaal niet vegetarisch", "Ik ben vegetarisch"),
        ("nl", "Ik ben niet meer getrouwd", "Ik ben getrouwd"),
        ("en", "I no longer live in Hull for health reasons", "I live in Hull"),
        ("nl", "Ik woon niet meer in Gent om gezondheidsredenen", "Ik woon in Gent"),
        ("de", "Ich wohne nicht mehr in Ulm aus gesundheitlichen Gründen", "Ich wohne in Ulm"),
        ("fr", "Je n'habite plus à Gand pour des raisons de santé", "J'habite à Gand"),
        ("es", "Ya no vivo en Gante por el clima", "Vivo en Gante"),
    ],
)
def test_a_plain_denial_has_the_words_of_a_statement(code: str, denial: str, denied: str) -> None:
    assert denied_words(words_in(denial), code) in bare_words(denied)


@for_each(
    ("code", "text", "known"),
    [
        ("en", "I don't live in Hull alone", "I live in Hull"),
        ("en", "I don't only work at Shell", "I work at Shell"),
        ("en", "I don't work at Shell on Fridays", "I work at Shell"),
        ("en", "I don't live in Hull yet", "I live in Hull"),
        ("en", "My brother doesn't live in Hull", "I live in Hull"),
        ("en", "It isn't true that I don't live in Hull", "I live in Hull"),
        ("en", "I live in Hull", "I live in Hull"),
        ("en", "I don't live in Hull", "I don't live in Hull"),
        ("en", "I don't have any more children", "I have children"),
        ("es", "No tengo más hermanos", "Tengo hermanos"),
        ("nl", "Ik ben niet helemaal vegetarisch", "Ik ben vegetarisch"),
        ("nl", "Ik woon niet graag in Gent", "Ik woon in Gent"),
        ("nl", "Ik woon vandaag niet in Gent", "Ik woon in Gent"),
        ("de", "Ich arbeite nicht nur bei SAP", "Ich arbeite bei SAP"),
        ("fr", "Je n'habite qu'à Lyon", "J'habite à Lyon"),
        ("es", "No vivo solo en Lugo", "Vivo en Lugo"),
        ("es", "No, vivo en Lugo", "Vivo en Lugo"),
        ("es", "Ya no vivo en Gante por las mañanas", "Vivo en Gante"),
        ("es", "Ya no trabajo en Shell por las tardes", "Trabajo en Shell"),
    ],
)
def test_what_has_another_word_or_no_negation_denies_nothing(
    code: str, text: str, known: str
) -> None:
    denied = denied_words(words_in(text), code)

    assert not denied or denied not in bare_words(known)


@for_each(
    ("text", "limits"),
    [
        ("I don't only work at Shell.", {"only"}),
        ("I don't work only at Shell.", {"only"}),
        ("Ik woon niet graag in Gent.", {"graag"}),
        ("Ich arbeite nicht nur bei SAP.", {"nur"}),
        ("Je ne travaille pas seulement chez Total.", {"seulement"}),
        ("No trabajo siempre en Repsol.", {"siempre"}),
        ("I don't work at Shell.", set()),
        ("I only work at Shell.", set()),
    ],
)
def test_a_word_behind_a_negation_limits_it(text: str, limits: set[str]) -> None:
    assert limits_in(text) == limits
