"""Questions of users about themselves, which no statement of theirs completes."""

from recollect.domain.followup.expletives import is_calculation
from recollect.domain.followup.languages import words_for
from recollect.domain.followup.oneself import (
    asks_about_oneself,
    follows_own_words,
    states_about_oneself,
)
from support.followups import conversation
from support.tables import for_each

ABOUT_ONESELF = {
    "en": """
How many nephews do I have?|What am I afraid of?|Am I allergic to cats?|Do I own a boat?|Where did
I study?|What is my sister called?|Who is my dentist?|Which languages do I speak?|And where do I
work?|Have I got a passport?|Is my brother married?|Does my son have a bike?|What do I like to
eat?|How tall am I?|When was I in Rome?|What do you know about me?""",
    "nl": """
Hoeveel neven heb ik?|Waar ben ik bang voor?|Ben ik ergens allergisch voor?|Heb ik een boot?|Waar
studeerde ik?|Hoe heet mijn zus?|Wie is mijn tandarts?|Welke talen spreek ik?|En waar werk
ik?|Lust ik spruitjes?|Is mijn broer getrouwd?|Heeft mijn zoon een fiets?|Wat eet ik graag?|Hoe
lang ben ik?|Wat voor auto rijd ik?|Wat weet je over mij?|Ken je mijn naam?|Wat is het merk van
mijn fiets?""",
    "de": """
Wie viele Neffen habe ich?|Wovor habe ich Angst?|Bin ich gegen etwas allergisch?|Habe ich ein
Boot?|Wo habe ich studiert?|Wie heißt meine Schwester?|Wer ist mein Zahnarzt?|Welche Sprachen
spreche ich?|Und wo arbeite ich?|Mag ich Spinat?|Ist mein Bruder verheiratet?|Hat mein Sohn ein
Fahrrad?|Was esse ich gern?|Wie groß bin ich?|Habe ich das alte Auto?|Was weißt du über mich?""",
    "fr": """
Combien de neveux ai-je ?|De quoi ai-je peur ?|Suis-je allergique à quelque chose ?|Est-ce que
j'ai un bateau ?|Où est-ce que j'ai étudié ?|Comment s'appelle ma sœur ?|Qui est mon dentiste
?|Quelles langues est-ce que je parle ?|Et où est-ce que je travaille ?|J'ai des allergies ?|Quel
âge a mon fils ?|Qu'est-ce que j'aime manger ?|Ai-je le permis ?|Que sais-tu de moi ?|Tu connais
mon nom ?""",
    "es": """
¿Cuántos sobrinos tengo?|¿De qué tengo miedo?|¿Soy alérgico a algo?|¿Tengo un barco?|¿Dónde
estudié?|¿Cómo se llama mi hermana?|¿Quién es mi dentista?|¿Qué idiomas hablo?|¿Y dónde
trabajo?|¿Me gusta la pasta?|¿Está casado mi hermano?|¿Tiene mi hijo una bici?|¿Qué me gusta
comer?|¿Cuánto mido?|¿Sabes mi nombre?""",
}
MAYBE_COMPLETED = {
    "en": """
Do I need a visa?|What should I pack?|How do I get there?|Do I also need it for Germany?|How many
did I sell there?|Can I bring my dog?|Do I have to pay?|Have I paid for that?|Where did I buy
it?|And my wife?|What about my bike?|My wife?|Which of my orders?|Who is his boss?|How do I
install Word?|How many orders do we have?|What was our turnover?|Why am I tired?|When does my
train leave then?|Do I have another one?|And in 2023?|Show my orders|Is it far?|Presents for my
wife?""",
    "nl": """
Heb ik een visum nodig?|Heb ik daar een visum voor nodig?|Wat moet ik inpakken?|Hoe kom ik er?|Hoe
installeer ik Word?|Mag mijn hond mee?|Welke producten heb je daarvoor?|Hoeveel heb ik er
verkocht?|Waar heb ik dat gekocht?|Heb ik die auto nog?|Waar heb ik het gekocht?|En mijn
vrouw?|Hoe zit het met mijn fiets?|Welke van mijn orders?|Waarom ben ik moe?|Hoeveel klanten
hebben we?|Wat was onze omzet?|Wie is zijn baas?|En in 2023?|Toon mijn orders|Is het ver?""",
    "de": """
Brauche ich ein Visum?|Was soll ich einpacken?|Wie komme ich dorthin?|Wie installiere ich
Word?|Darf mein Hund mit?|Was brauche ich dafür?|Wo habe ich das gekauft?|Habe ich es bezahlt?|Und
meine Frau?|Was ist mit meinem Rad?|Welche von meinen Orders?|Warum bin ich müde?|Wer ist sein
Chef?|Muss ich warten?|Und im Mai?""",
    "fr": """
Ai-je besoin d'un visa ?|Que dois-je emporter ?|Comment j'y vais ?|Comment j'installe Word ?|Je
peux amener mon chien ?|Où est-ce que je l'ai acheté ?|Est-ce que je les aime ?|Combien est-ce que
j'ai payé ça ?|Et ma femme ?|Quid de mon vélo ?|Pourquoi suis-je fatigué ?|Qui est son chef ?|Et
en 2023 ?""",
    "es": """
¿Necesito un visado?|¿Qué debo llevar?|¿Cómo llego allí?|¿Cómo instalo Word?|¿Puedo llevar a mi
perro?|¿Dónde lo compré?|¿Dónde las compré?|¿Qué tengo que pagar?|¿Tengo eso?|¿Y mi mujer?|¿Qué
hay de mi bici?|¿Quién es su jefe?|¿Y en 2023?|¿Cuánto cuesta?""",
}
STATEMENTS = {
    "en": """
I live in Leeds|My children are called Jan and Pete|The dog of my brother is called Rex|Remember
that my bike is red|Our dog is called Rex|We are going to Italy in July|Anna is my
sister|Yesterday I sold my boat""",
    "nl": """
Ik woon in Leiden|Mijn kinderen heten Jan en Piet|De hond van mijn broer heet Rex|Onthoud dat mijn
fiets rood is|Anna is mijn zus|Vandaag heb ik mijn boot verkocht""",
    "de": """
Ich wohne in Bremen|Meine Kinder heißen Jan und Peter|Der Hund von meinem Bruder heißt Rex|Merk
dir, dass mein Rad rot ist|Anna ist meine Schwester|Heute habe ich mein Boot verkauft""",
    "fr": """
J'habite à Lyon|Mes enfants s'appellent Jean et Pierre|Le chien de mon frère s'appelle Rex|Retiens
que mon vélo est rouge|Anna est ma sœur|Aujourd'hui j'ai vendu mon bateau""",
    "es": """
Vivo en Sevilla|Mis hijos se llaman Juan y Pedro|El perro de mi hermano se llama Rex|Recuerda que
mi bici es roja|Anna es mi hermana|Hoy he vendido mi barco|Conduzco un coche rojo""",
}
NO_STATEMENTS = {
    "en": """
Write a poem about my cat|Show me the orders of 2023|I want to buy a laptop|I'd like a list of my
orders|Where do I live?|The weather is nice|Translate this for my wife|Paris|Please list my
boats""",
    "nl": """
Schrijf een gedicht over mijn kat|Toon mij de orders van 2023|Ik wil een laptop kopen|Waar woon
ik?|Het weer is mooi|Parijs|Ik zoek een cadeau voor mijn vrouw""",
    "de": """
Schreib ein Gedicht über meine Katze|Zeige mir die Aufträge von 2023|Ich möchte einen Laptop
kaufen|Wo wohne ich?|Das Wetter ist schön|Paris""",
    "fr": """
Écris un poème sur mon chat|Montre-moi les commandes de 2023|Je voudrais acheter un ordinateur|Où
est-ce que j'habite ?|Le temps est beau|Paris""",
    "es": """
Escribe un poema sobre mi gato|Muestra los pedidos de 2023|Quiero comprar un portátil|¿Dónde
vivo?|Hace buen tiempo|París""",
}


def _sentences(tables: dict[str, str]) -> list[tuple[str, str]]:
    return [
        (language, " ".join(text.split()))
        for language, table in tables.items()
        for text in table.split("|")
    ]


@for_each(("language", "question"), _sentences(ABOUT_ONESELF))
def test_a_question_about_oneself_stands_alone(language: str, question: str) -> None:
    assert asks_about_oneself(question, words_for(language))


@for_each(("language", "question"), _sentences(MAYBE_COMPLETED))
def test_what_points_back_asks_for_advice_or_is_a_fragment_does_not(
    language: str, question: str
) -> None:
    assert not asks_about_oneself(question, words_for(language))


@for_each(("language", "message"), _sentences(STATEMENTS))
def test_statements_about_oneself_are_told(language: str, message: str) -> None:
    assert states_about_oneself(message, words_for(language))


@for_each(("language", "message"), _sentences(NO_STATEMENTS))
def test_requests_wishes_and_questions_are_no_statements(language: str, message: str) -> None:
    assert not states_about_oneself(message, words_for(language))


def _stands_alone(history: list[str], question: str) -> bool:
    return follows_own_words(question, conversation(*history), words_for("en"), "en")


@for_each(
    ("history", "question"),
    [
        (["user: I live in Leeds"], "Do I have children?"),
        (["user: I live in Leeds", "assistant: Nice!"], "Do I have children?"),
        (["user: I live in Leeds", "user: Where do I live?"], "Do I have children?"),
        (["user: I live in Leeds", "user: thanks"], "Do I have children?"),
        (["user: My dog is called Rex"], "And my cat?"),
        (["user: I live in Leeds", "user: asdf", "user: 2+2"], "Do I have pets?"),
        (["user: I live in Leeds"], "asdf"),
        (["user: How many children do I have?", "assistant: Two."], "qwerty zxcv"),
    ],
)
def test_a_statement_completes_no_question_about_oneself(history: list[str], question: str) -> None:
    assert _stands_alone(history, question)


@for_each(
    ("language", "last", "question"),
    [
        ("en", "Who won the war?", "What is my favourite colour?"),
        ("nl", "Wie won de oorlog?", "Wat is mijn lievelingskleur?"),
        ("de", "Wer hat den Krieg gewonnen?", "Was ist meine Lieblingsfarbe?"),
        ("fr", "Qui a gagné la guerre ?", "Quelle est ma couleur préférée ?"),
        ("es", "¿Quién ganó la guerra?", "¿Cuál es mi color favorito?"),
    ],
)
def test_a_question_to_the_world_completes_none_for_something_of_the_users(
    language: str, last: str, question: str
) -> None:
    history = conversation(f"user: {last}", "assistant: Nobody.")
    assert follows_own_words(question, history, words_for(language), language)


@for_each(
    ("history", "question"),
    [
        (["user: Show the orders of 2023"], "How many orders do I have?"),
        (["user: Which airline flies to Rome?"], "What is my seat?"),
        (["user: Tell me about Rome"], "What is my hotel called?"),
        (["user: What does the order cost?"], "When does my order arrive?"),
        (["user: Who won the war?"], "When do I arrive?"),
        (["user: Write a poem about my cat"], "Do I have a cat?"),
        (["user: What is my dog called?", "assistant: Rex."], "And my cat?"),
        (["user: I am going to Japan"], "Do I need a visa?"),
        (["user: What is the weather in Paris?"], "asdf"),
        (["user: I moved", "assistant: Where to?"], "Leeds"),
        (["user: Where does my sister live?"], "Anna?"),
        (["user: Where did I go in May?"], "june"),
        (["user: Where did I go in 2023?"], "2024"),
        (["user: I live in Leeds"], "Do I have children " + "now " * 40 + "?"),
    ],
)
def test_after_other_messages_the_two_may_belong_together(
    history: list[str], question: str
) -> None:
    assert not _stands_alone(history, question)


@for_each("question", ["2+2?", "3 * 4 =", "(1+2)*3", "2^10", "12,5 + 3.5?"])
def test_a_sum_stands_alone(question: str) -> None:
    assert is_calculation(question)


@for_each(
    "question", ["2023?", "2023-2024?", "24/7?", "+31 6 12345678", "5+", "3+ rooms?", "+", ""]
)
def test_values_may_take_the_place_of_others(question: str) -> None:
    assert not is_calculation(question)
