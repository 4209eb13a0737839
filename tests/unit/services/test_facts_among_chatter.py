"""Ten facts of a user among a hundred messages of chatter, in five languages."""

from typing import Final

import pytest

from recollect.domain.conversation.message import Message, Role
from recollect.models.tokens import token_counter_for
from recollect.services.context.summarising import ExtractiveSummariser
from support.stored_conversations import a_stored_message
from support.tables import for_each

Facts = tuple[tuple[str, str], ...]
"""What the user says, and the word that tells whether it was kept."""
TOKENS: Final = 500
FACTS: Final[dict[str, Facts]] = {
    "en": (
        ("My sister Eva lives in Utrecht now.", "Utrecht"),
        ("I'm allergic to peanuts.", "peanuts"),
        ("We decided to stay with PostgreSQL 16.", "PostgreSQL"),
        ("The deadline is 14 March.", "14 March"),
        ("Our budget is 12,000 euros.", "12,000"),
        ("I'd rather get short answers.", "short"),
        ("I work as a nurse in the children's ward.", "nurse"),
        ("Since my son Milo starts school soon, mornings are busy.", "Milo"),
        ("The wifi password of the cabin is 'heron77'.", "heron77"),
        ("Don't call me before ten, I work at night.", "before ten"),
    ),
    "nl": (
        ("Mijn zus Eva woont nu in Utrecht.", "Utrecht"),
        ("Ik ben allergisch voor pinda's.", "pinda's"),
        ("We hebben besloten bij PostgreSQL 16 te blijven.", "PostgreSQL"),
        ("De deadline is 14 maart.", "14 maart"),
        ("Ons budget is 12.000 euro.", "12.000"),
        ("Ik krijg liever korte antwoorden.", "korte"),
        ("Ik werk als verpleegkundige op de kinderafdeling.", "verpleegkundige"),
        ("Omdat mijn zoon Milo naar school gaat, is het 's ochtends druk.", "Milo"),
        ("Het wachtwoord van het huisje is 'reiger77'.", "reiger77"),
        ("Bel me niet voor tien uur, ik werk 's nachts.", "voor tien"),
    ),
    "de": (
        ("Meine Schwester Eva wohnt jetzt in Utrecht.", "Utrecht"),
        ("Ich bin allergisch gegen Erdnüsse.", "Erdnüsse"),
        ("Wir haben beschlossen, bei PostgreSQL 16 zu bleiben.", "PostgreSQL"),
        ("Die Frist endet am 14. März.", "14. März"),
        ("Unser Budget beträgt 12.000 Euro.", "12.000"),
        ("Ich bekomme lieber kurze Antworten.", "kurze"),
        ("Ich arbeite als Krankenpfleger auf der Kinderstation.", "Krankenpfleger"),
        ("Weil mein Sohn Milo bald in die Schule kommt, ist morgens viel los.", "Milo"),
        ("Das Passwort der Hütte ist 'reiher77'.", "reiher77"),
        ("Ruf mich nicht vor zehn an, ich arbeite nachts.", "vor zehn"),
    ),
    "fr": (
        ("Ma sœur Eva habite maintenant à Utrecht.", "Utrecht"),
        ("Je suis allergique aux arachides.", "arachides"),
        ("Nous avons décidé de garder PostgreSQL 16.", "PostgreSQL"),
        ("La date limite est le 14 mars.", "14 mars"),
        ("Notre budget est de 12 000 euros.", "12 000"),
        ("Je préfère des réponses courtes.", "courtes"),
        ("Je travaille comme infirmier au service des enfants.", "infirmier"),
        ("Comme mon fils Milo entre à l'école, les matins sont chargés.", "Milo"),
        ("Le mot de passe du chalet est « heron77 ».", "heron77"),
        ("Ne m'appelez pas avant dix heures, je travaille la nuit.", "avant dix"),
    ),
    "es": (
        ("Mi hermana Eva vive ahora en Utrecht.", "Utrecht"),
        ("Soy alérgico a los cacahuetes.", "cacahuetes"),
        ("Hemos decidido seguir con PostgreSQL 16.", "PostgreSQL"),
        ("La fecha límite es el 14 de marzo.", "14 de marzo"),
        ("Nuestro presupuesto es de 12.000 euros.", "12.000"),
        ("Prefiero respuestas cortas.", "cortas"),
        ("Trabajo como enfermero en la planta de niños.", "enfermero"),
        ("Como mi hijo Milo empieza el colegio, las mañanas son un lío.", "Milo"),
        ("La contraseña de la cabaña es «garza77».", "garza77"),
        ("No me llames antes de las diez, trabajo de noche.", "antes de las diez"),
    ),
}
CHATTER: Final = {
    "en": ("haha yes", "What a day.", "Tell me a joke.", "Why is the sky blue?", "Hm, ok."),
    "nl": ("haha ja", "Wat een dag.", "Vertel eens een mop.", "Waarom is water nat?", "Oké."),
    "de": ("haha ja", "Was für ein Tag.", "Erzähl einen Witz.", "Warum ist Wasser nass?", "Gut."),
    "fr": ("haha oui", "Quelle journée.", "Raconte une blague.", "Pourquoi pleut-il ?", "Bon."),
    "es": ("jaja sí", "Vaya día.", "Cuenta un chiste.", "¿Por qué llueve tanto?", "Bueno."),
}
REPLIES: Final = {
    "en": "That is remark number {} to think about, and there is more to say about it.",
    "nl": "Dat is opmerking nummer {} om over na te denken, er valt meer over te zeggen.",
    "de": "Das ist Bemerkung Nummer {} zum Nachdenken, darüber lässt sich mehr sagen.",
    "fr": "C'est la remarque numéro {} qui fait réfléchir, on pourrait en dire plus.",
    "es": "Es el comentario número {} que da que pensar, se podría decir más sobre ello.",
}


def conversation(language: str) -> list[Message]:
    """Ten facts, each after four messages of chatter; every reply is nearly the same."""
    said: list[str] = []
    for number, (fact, _) in enumerate(FACTS[language]):
        chatter = CHATTER[language]
        said += [chatter[(number + turn) % len(chatter)] for turn in range(4)]
        said.append(fact)
    messages: list[Message] = []
    for turn, text in enumerate(said):
        reply = REPLIES[language].format(turn)
        messages.append(a_stored_message(2 * turn, role=Role.USER, content=text))
        messages.append(a_stored_message(2 * turn + 1, role=Role.ASSISTANT, content=reply))
    return messages


def summarised(messages: list[Message], *, parts: int) -> str:
    summariser = ExtractiveSummariser(tokens=token_counter_for(None))
    size = len(messages) // parts
    summary = ""
    for start in range(0, len(messages), size):
        part = messages[start : start + size]
        summary = summariser.extract(part, previous=summary, max_tokens=TOKENS)
    return summary


@for_each("parts", [1, 5])
@for_each("language", FACTS)
def test_at_least_nine_of_ten_facts_stay_in_the_summary(language: str, parts: int) -> None:
    summary = summarised(conversation(language), parts=parts)

    lost = [fact for fact, word in FACTS[language] if word not in summary]
    assert len(lost) <= 1, lost


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize("language", FACTS)
def test_of_fifty_replies_that_are_nearly_the_same_three_stay_at_most(
    language: str, parts: int
) -> None:
    summary = summarised(conversation(language), parts=parts)

    start = REPLIES[language].partition(" {")[0]
    assert summary.count(start) <= 3, summary
