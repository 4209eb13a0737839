"""What a message wants of a memory without a model, in five languages."""

from recollect.answerers.from_memory.languages import REPLY_LANGUAGES, reply_texts
from recollect.answerers.from_memory.reading import Wish, asks, read_message, tells
from support.tables import for_each


@for_each(
    ("text", "wish", "languages"),
    [
        ("Hallo!", Wish.GREETING, {"nl", "de"}),
        ("Hi there", Wish.GREETING, {"en"}),
        ("Good morning Ann", Wish.GREETING, {"en"}),
        ("Goedemorgen", Wish.GREETING, {"nl"}),
        ("Guten Tag", Wish.GREETING, {"de"}),
        ("Bonjour", Wish.GREETING, {"fr"}),
        ("¡Buenos días!", Wish.GREETING, {"es"}),
        ("Hoi! Hoe gaat het?", Wish.GREETING, {"nl"}),
        ("dank je", Wish.THANKS, {"nl"}),
        ("Bedankt voor de hulp!", Wish.THANKS, {"nl"}),
        ("thank you so much", Wish.THANKS, {"en"}),
        ("Danke schön", Wish.THANKS, {"de"}),
        ("merci beaucoup", Wish.THANKS, {"fr"}),
        ("muchas gracias", Wish.THANKS, {"es"}),
        ("ok", Wish.SMALL_TALK, set(REPLY_LANGUAGES)),
        ("👍", Wish.SMALL_TALK, set(REPLY_LANGUAGES)),
        ("Tot morgen!", Wish.SMALL_TALK, {"nl"}),
        ("Forget it", Wish.LEAVING, {"en"}),
        ("Never mind, forget it", Wish.LEAVING, {"en"}),
        ("Ok, never mind. Forget it!", Wish.LEAVING, {"en"}),
        ("Laat maar, vergeet het maar", Wish.LEAVING, {"nl"}),
        ("Egal, vergiss es", Wish.LEAVING, {"de"}),
        ("Laisse tomber, oublie ça", Wish.LEAVING, {"fr"}),
        ("Da igual, olvídalo", Wish.LEAVING, {"es"}),
        ("you are an idiot", Wish.ABOUT_MEMORY, {"en"}),
        ("Fuck you!", Wish.ABOUT_MEMORY, {"en"}),
        ("You're great", Wish.ABOUT_MEMORY, {"en"}),
        ("Je bent een sukkel", Wish.ABOUT_MEMORY, {"nl"}),
        ("hou je bek", Wish.ABOUT_MEMORY, {"nl"}),
        ("Du bist doof", Wish.ABOUT_MEMORY, {"de"}),
        ("Halt die Klappe!", Wish.ABOUT_MEMORY, {"de"}),
        ("Tu es stupide", Wish.ABOUT_MEMORY, {"fr"}),
        ("Ta gueule", Wish.ABOUT_MEMORY, {"fr"}),
        ("Eres tonto", Wish.ABOUT_MEMORY, {"es"}),
        ("¡Cállate!", Wish.ABOUT_MEMORY, {"es"}),
        ("?", Wish.UNCLEAR, set()),
        ("...", Wish.UNCLEAR, set()),
        ("¿¡!?", Wish.UNCLEAR, set()),
        ("How are you?", Wish.SMALL_TALK, {"en"}),
        ("Wie geht es dir?", Wish.SMALL_TALK, {"de"}),
        ("Ça va ?", Wish.SMALL_TALK, {"fr"}),
        ("¿Qué tal?", Wish.SMALL_TALK, {"es"}),
        ("Wat kun je allemaal?", Wish.ABILITIES, {"nl"}),
        ("help", Wish.ABILITIES, {"nl", "en"}),
        ("Hoi, wat weet je over mij?", Wish.ABOUT_USER, {"nl"}),
        ("En wat weet je van mij?", Wish.ABOUT_USER, {"nl"}),
        ("see you tomorrow", Wish.SMALL_TALK, {"en"}),
        ("Who am I?", Wish.ABOUT_USER, {"en"}),
        ("Was weißt du über mich?", Wish.ABOUT_USER, {"de"}),
        ("Que sais-tu de moi ?", Wish.ABOUT_USER, {"fr"}),
        ("¿Qué sabes de mí?", Wish.ABOUT_USER, {"es"}),
    ],
)
def test_small_talk_is_known_with_its_language(text: str, wish: Wish, languages: set[str]) -> None:
    read = read_message(text, "en")
    assert (read.wish, set(read.languages)) == (wish, languages)


@for_each(
    ("language", "text", "wish"),
    [
        ("en", "Thanks, where do I live?", Wish.ANSWER),
        ("en", "You are wrong, I live in Hull", Wish.STORING),
        ("en", "You are my brother's teacher", Wish.STORING),
        ("en", "You are to water the plants on Friday at noon", Wish.STORING),
        ("en", "Are you an idiot?", Wish.ANSWER),
        ("nl", "Je bent mijn buurman", Wish.STORING),
        ("en", "Never mind the gap", Wish.ANSWER),
        ("en", "Thanks. And where do I live?", Wish.ANSWER),
        ("nl", "Bedankt, ik woon nu in Gent", Wish.STORING),
        ("nl", "Dank je, mijn adres is nu Dorpsstraat 5", Wish.STORING),
        ("nl", "Hallo ik ben Jan en ik woon in Gent", Wish.STORING),
        ("en", "Hi, I'm Anna", Wish.STORING),
        ("en", "Yes, I live in Paris", Wish.STORING),
        ("de", "Morgen habe ich einen Termin.", Wish.STORING),
        ("de", "Morgen regnet es", Wish.ANSWER),
        ("en", "work", Wish.ANSWER),
        ("en", "good dog", Wish.ANSWER),
        ("en", "morning routine", Wish.ANSWER),
        ("nl", "dag 3", Wish.ANSWER),
        ("en", "What do you know about my dog?", Wish.ANSWER),
        ("nl", "Wie ben ik kwijt?", Wish.ANSWER),
    ],
)
def test_what_says_more_is_no_small_talk(language: str, text: str, wish: Wish) -> None:
    assert read_message(text, language).wish is wish


@for_each(
    ("language", "text"),
    [
        ("nl", "Vergeet dat ik in Utrecht woon"),
        ("en", "Forget my address."),
        ("de", "Vergiss meine Adresse"),
        ("fr", "Oublie mon adresse"),
        ("es", "Olvida mi dirección"),
        ("en", "Forget my locker code"),
        ("en", "Forget everything"),
        ("en", "Forget it all"),
        ("en", "Delete everything, please"),
        ("nl", "Wis alles"),
        ("nl", "Vergeet het allemaal"),
        ("de", "Lösche alles!"),
        ("fr", "Efface tout, merci"),
        ("es", "Olvídalo todo"),
        ("es", "Bórralo todo, por favor"),
    ],
)
def test_a_wish_to_forget_is_one_even_where_it_cannot_be_done(language: str, text: str) -> None:
    assert read_message(text, language).wish is Wish.FORGETTING


@for_each(
    ("language", "text"),
    [
        ("en", "I forgot my keys"),
        ("en", "Don't forget my address"),
        ("nl", "Vergeet niet te bellen"),
        ("nl", "Ben je vergeten dat ik in Utrecht woon?"),
        ("en", "Did you forget my address?"),
        ("en", "My brother said: forget my address"),
    ],
)
def test_other_talk_of_forgetting_is_no_wish_to_forget(language: str, text: str) -> None:
    assert read_message(text, language).wish is not Wish.FORGETTING


@for_each(
    ("language", "text"),
    [
        ("en", "I live in Utrecht"),
        ("en", "The meeting is on Tuesday"),
        ("en", "What I like is pizza."),
        ("nl", "Ik woon in Utrecht."),
        ("nl", "Zijn naam is Piet."),
        ("nl", "de code van de kluis is 1234"),
        ("de", "Ich wohne in Köln"),
        ("fr", "J'habite à Lyon"),
        ("es", "Vivo en Madrid"),
    ],
)
def test_statements_tell_and_do_not_ask(language: str, text: str) -> None:
    assert tells(text, language)
    assert not asks(text, language)


@for_each(
    ("language", "text"),
    [
        ("en", "Where do I live?"),
        ("en", "I want to know my address"),
        ("en", "show me my sales"),
        ("en", "Write a poem about my cat"),
        ("nl", "Schrijf een gedicht over mijn kat."),
        ("de", "Übersetze meinen Satz"),
        ("fr", "Écris un poème sur mon chat"),
        ("es", "Escribe un poema sobre mi gato"),
        ("en", "I live in Utrecht, right?"),
        ("nl", "waar woon ik"),
        ("nl", "Ik wil weten waar ik woon"),
        ("de", "wo wohne ich"),
        ("fr", "où est-ce que j'habite"),
        ("es", "dónde vivo"),
    ],
)
def test_questions_ask_with_or_without_a_mark(language: str, text: str) -> None:
    assert asks(text, language)
    assert not tells(text, language)


def test_every_language_has_texts_of_its_own() -> None:
    texts = {reply_texts(code) for code in REPLY_LANGUAGES}
    assert len(texts) == len(REPLY_LANGUAGES)
    for one in texts:
        assert "{question}" in one.noted
        assert "{facts}" in one.forgotten
        assert "\n" not in one.abilities
    assert reply_texts("fi") == reply_texts("en")
