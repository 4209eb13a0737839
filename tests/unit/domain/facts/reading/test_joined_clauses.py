"""Clauses that "and" joins, each of which tells a fact of its own."""

import re

from recollect.domain.facts.reading.joined_clauses import (
    added_wishes,
    clauses_after_personal_data,
    joined_clauses,
)
from support.tables import for_each


@for_each(
    ("text", "language", "sentences"),
    [
        ("I live in Hull and work at Tyrell", "en", ["I live in Hull", "I work at Tyrell"]),
        (
            "I'm a cook in Hull, and also teach young chefs",
            "en",
            ["I'm a cook in Hull", "I also teach young chefs"],
        ),
        ("We live in Hull and own a boat", None, ["We live in Hull", "We own a boat"]),
        ("I resigned and moved to Leeds", "en", ["I resigned", "I moved to Leeds"]),
        (
            "I resigned from Shell, and I moved to Leeds",
            "en",
            ["I resigned from Shell", "I moved to Leeds"],
        ),
        ("I quit and started at ASML", "en", ["I quit", "I started at ASML"]),
        (
            "Ik heb ontslag genomen en ben verhuisd naar Gent",
            "nl",
            ["Ik heb ontslag genomen", "Ik ben verhuisd naar Gent"],
        ),
        (
            "Ich habe gekündigt und bin nach Jena gezogen",
            "de",
            ["Ich habe gekündigt", "Ich bin nach Jena gezogen"],
        ),
        (
            "J'ai démissionné et j'ai déménagé à Brest",
            "fr",
            ["J'ai démissionné", "j'ai déménagé à Brest"],
        ),
        ("He dimitido y me he mudado a Lugo", "es", ["He dimitido", "me he mudado a Lugo"]),
        ("Ik woon in Assen en heb twee honden", "nl", ["Ik woon in Assen", "Ik heb twee honden"]),
        (
            "Ich lebe in Jena und arbeite bei Zeiss",
            "de",
            ["Ich lebe in Jena", "Ich arbeite bei Zeiss"],
        ),
        (
            "J'habite à Brest et travaille au port",
            "fr",
            ["J'habite à Brest", "Je travaille au port"],
        ),
        ("Je vis à Brest et aime la voile", "fr", ["Je vis à Brest", "J'aime la voile"]),
        ("Vivo en Lugo y trabajo en un banco", "es", ["Vivo en Lugo", "trabajo en un banco"]),
        ("Soy cocinera y vivo en Lugo", "es", ["Soy cocinera", "vivo en Lugo"]),
        (
            "I'm a cook, live in Hull and have two boats",
            "en",
            ["I'm a cook", "I live in Hull", "I have two boats"],
        ),
        (
            "Ik ben kok, woon in Assen, werk bij Fugro en heb een hond",
            "nl",
            ["Ik ben kok", "Ik woon in Assen", "Ik werk bij Fugro", "Ik heb een hond"],
        ),
        (
            "Ich bin Koch, wohne in Jena und habe einen Hund",
            "de",
            ["Ich bin Koch", "Ich wohne in Jena", "Ich habe einen Hund"],
        ),
        (
            "Je suis chef, habite à Brest et ai deux chiens",
            "fr",
            ["Je suis chef", "J'habite à Brest", "J'ai deux chiens"],
        ),
        (
            "Soy chef, vivo en Lugo y tengo un perro",
            "es",
            ["Soy chef", "vivo en Lugo", "tengo un perro"],
        ),
        ("I work at Tyrell and I live in Hull", "en", ["I work at Tyrell", "I live in Hull"]),
        ("I work at Tyrell and my wife is ill", "en", ["I work at Tyrell", "my wife is ill"]),
        ("Ik werk bij Fugro en mijn man is kok", "nl", ["Ik werk bij Fugro", "mijn man is kok"]),
        ("Ich wohne in Jena und meine Frau ist Köchin", "de", None),
        ("J'habite à Brest et ma femme est cheffe", "fr", None),
        ("Vivo en Lugo y mi mujer es cocinera", "es", None),
    ],
)
def test_each_clause_of_the_same_subject_stands_by_itself(
    text: str, language: str | None, sentences: list[str] | None
) -> None:
    clauses = joined_clauses(text, language)
    expected = sentences or re.split(r" (?:und|et|y) ", text)
    assert [clause.sentence_in(text) for clause in clauses] == expected
    assert all(clause.quote_in(text) in text for clause in clauses)


@for_each(
    "text",
    [
        "I live and work in Hull",
        "I speak Danish and Greek",
        "I have a canoe and use it daily",
        "I live with sisters who teach and play the harp",
        "I have to commute daily and work late shifts",
        "I don't live in Hull and work at Tyrell",
        "My aunt lives in Hull and works at Tyrell",
        "Ik heb een kano en gebruik het elke dag",
        "I love Hull, live music and good wine",
        "I like to cook, play the harp and own boats",
        "I live in Hull, work at Tyrell",
        "I live with my brother and my sister",
        "I know that my brother and my sister are ill",
        "I live with my aunt, who cooks and whose son and my wife are ill",
        "Ik woon met mijn zus en mijn broer",
        "Ich wohne mit meiner Frau und meinem Sohn",
        "Vivo y trabajo en Lugo",
        "I resigned and regretted it",
        "I got fired and rehired the next day",
        "If I resigned and moved to Leeds",
        "My boss resigned and moved to Leeds",
    ],
)
def test_what_is_not_surely_two_statements_stays_one(text: str) -> None:
    (clause,) = joined_clauses(text, None)
    assert clause.sentence_in(text) == text


@for_each(
    ("text", "wishes"),
    [
        ("I teach in Hull, and I prefer bullet points.", ["I prefer bullet points"]),
        ("Ik kook graag, en ik wil korte antwoorden.", ["ik wil korte antwoorden"]),
        ("Ich bin Koch, und ich möchte kurze Antworten.", ["ich möchte kurze Antworten"]),
        ("Je suis chef, et je veux des réponses courtes.", ["je veux des réponses courtes"]),
        ("Soy cocinera, y quiero respuestas cortas.", ["quiero respuestas cortas"]),
        ("I teach in Hull, and I want a bicycle.", []),
        ("I teach in Hull, and I want short answers this time.", []),
    ],
)
def test_a_wish_about_answers_is_found_behind_a_comma(text: str, wishes: list[str]) -> None:
    assert [clause.quote_in(text) for clause in added_wishes(text)] == wishes


@for_each(
    ("text", "clauses"),
    [
        ("My number is 06-12345678 and I live in Hull.", ["I live in Hull"]),
        ("Mail me at a@b.example, and I also work at Tyrell.", ["I also work at Tyrell"]),
        ("Mijn nummer is 0612345678 en ik woon in Gent, hoor.", ["ik woon in Gent"]),
        ("Sure, and I'm the Queen of Sheba.", []),
        ("My password is hunter2 and I use swordfish elsewhere.", []),
        ("My number is 06-12345678 and I use it at work.", []),
        ("My number is 06-12345678 and the office is in Hull.", []),
    ],
)
def test_what_users_tell_behind_personal_data_is_a_clause_of_its_own(
    text: str, clauses: list[str]
) -> None:
    assert [one.quote_in(text) for one in clauses_after_personal_data(text)] == clauses
