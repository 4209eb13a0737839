"""Commands to remember and to forget are told from everything that only sounds like one."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in
from support.tables import for_each

_REMEMBER = """
Remember that [I'm vegan].
Please note that [our fiscal year starts in April]
don't forget that [I work from home on Fridays]!
Thanks! And please remember [I'm allergic to nuts].
Remember: [my dog is called Rex]
Please keep in mind that [we report in euros].
Can you remember that [I live in Ghent]?
FYI [I'm colour-blind].
Just so you know, [I have two children].
FYI: [my locker is 14].
Save this: [my locker is 14].
Please commit to memory that [my locker is 14].
Guarda esto: [mi taquilla es la 14].
Pour info, [j'ai deux enfants].
Du solltest wissen, dass [ich in Ulm wohne].
Je moet weten dat [ik in Gent woon].
Could you please remember that [I live in Ghent]?
Oh, and remember that [my name is spelled Jon].
Onthoud dat [ik in Gent woon].
Onthoud da [ik in Aalst woon].
Remember that [I hate onions], then give me a recipe for soup.
Remember that [I hate onions] and then, please, tell me what to cook.
Remember that [I hate onions] and then give me a recipe.
Onthoud dat [ik vegetariër ben] en geef me een recept voor soep.
Merk dir, dass [ich Vegetarier bin], und gib mir ein Rezept.
Retiens que [je suis végétarien] et donne-moi une recette.
Recuerda que [soy celíaco] y dame una receta.
Remember that [I like tea and write in short sentences].
Remember that [I work until five, then go home].
Remember that [loud bars give me a headache].
onthoud: [ik ben vega]
Onthoud alsjeblieft dat [ik geen tabellen wil].
Kun je onthouden dat [ik geen tabellen wil]?
Vergeet niet dat [wij in euro's rapporteren].
Bedankt! Houd er rekening mee dat [ik kleurenblind ben].
Noteer dat [mijn collega Ewa heet].
Merk dir, dass [ich Vegetarier bin].
Merk dir bitte, dass [ich in Ulm wohne].
Bitte merke dir: [ich wohne in Ulm].
Kannst du dir merken, dass [ich in Ulm wohne]?
Vergiss nicht, dass [wir in Euro rechnen].
Denk daran, dass [ich keine Milch vertrage].
Souviens-toi que [je suis végétarien].
Retiens qu'[on travaille en euros].
N'oublie pas que [j'habite à Lyon].
Peux-tu retenir que [je suis gaucher] ?
Rappelle-toi que [mon fils s'appelle Léo].
Merci ! Note que [je travaille le samedi].
Recuerda que [soy celíaco].
Por favor, recuerda que [soy celíaco].
Acuérdate de que [vivo en Sevilla]
No olvides que [trabajo los sábados].
¿Puedes recordar que [soy zurdo]?
Ten en cuenta que [usamos euros].
Remember [my favourite colour is blue]
Remember: [my locker code word is heron]
Please note [my size is M], please.
Remember, [my mother's birthday is on 3 May].
Don't forget [our margin is 20%]
Remember [my locker code word: heron].
Onthoud [mijn adres: Kerkstraat 5 in Gent].
Merk dir [meine Größe: M]
Note [mon adresse : 5 rue Haute].
Apunta [mi talla: M]
Onthoud [mijn maat is M].
Onthoud: [mijn maat is M]
Noteer even: [mijn zus heet Noor].
Merk dir: [meine Größe ist M].
Merk dir, [meine Schwester heißt Noor].
Merk dir bitte [meine Größe ist M]!
Retiens : [ma taille est M]
Note bien, [mon fils s'appelle Léo].
Recuerda: [mi talla es M].
Recuerda, [mi hermana se llama Inés], por favor.
"""
_FORGET = """
Forget that [I live in Ghent].
Please forget that [I work at Philips].
Delete the fact that [I'm divorced].
Vergeet dat [ik in Gent woon].
Vergeet alsjeblieft dat [ik bij Philips werk].
Wil je vergeten dat [ik in Gent woon]?
Vergiss, dass [ich in Ulm wohne].
Vergiss bitte, dass [ich bei Bosch arbeite].
Oublie que [j'habite à Lyon].
Oublie qu'[on habite à Lyon].
Olvida que [vivo en Sevilla].
Olvídate de que [trabajo en Seat].
"""
_TOPICS = """
Please forget what I said about [my diet].
delete what you know about [my job], please
Forget everything you know about [my ex-husband].
Vergeet wat ik zei over [mijn dieet].
Vergeet wat ik over [mijn werk] heb gezegd.
Wis alles wat je weet over [mijn gezondheid]
Vergiss bitte, was ich über [meine Ernährung] gesagt habe.
Lösche, was du über [meinen Job] weißt.
Oublie ce que j'ai dit sur [mon travail], stp.
Efface tout ce que tu sais sur [ma santé].
Olvida lo que te dije sobre [mi dieta].
Borra lo que sabes de [mi trabajo] por favor
"""
_NONE = """
Remember my first question?
Remember my first question is still open.
Remember my name
Remember me
Remember my name is
Remember my size:
Remember my question: what is new?
Remember my words: you will be sorry.
Remember my friend who is a doctor
Remember my brother's birthday
Remember, my friend, is a big word.
Remember what my size is
Remember when my dog was small
Do you remember my name?
Do you remember my size is M?
I remember my size is M.
She said, remember my size is M.
He will remember my size is M.
Onthoud mijn naam
Onthoud mijn vriend die arts is
Onthoud mijn vraag is nog open.
Onthoud je mijn maat?
Merk dir meinen Namen
Merk dir meine Frage ist noch offen.
Merkst du dir, meine Größe ist M?
Retiens mon nom
Retiens ma question est encore ouverte.
Retiens mon rendez-vous à midi
Recuerda mi nombre
Recuerda mi pregunta es otra.
Do you remember that I'm vegan?
Remember that I told you about Rome?
Remember to call mum.
Remember that time we went to Rome?
remember that for later
Remember that's my car.
I remember that I was young.
Forget it.
forget about it
I forgot that I had a meeting.
Don't forget to buy milk.
Never forget to smile.
He said: "Remember that I am vegan and left."
She asked me to remember that I'm vegan.
Translate: remember that I'm vegan.
Write an ad. Here is the text:\tRemember that I am here.
Weet je nog dat ik vega ben?
Onthoud dat goed!
Onthoud je dat ik vega ben?
Vergeet niet te bellen.
vergeet het maar
Vergeet dat maar.
Ik vergat dat ik een afspraak had.
Ik onthoud dat ik moet bellen.
Vertaal: onthoud dat ik vega ben.
Weißt du noch, dass ich in Ulm wohne?
Merk dir das gut!
Vergiss es.
Vergiss nicht, Milch zu kaufen.
Ich habe vergessen, dass heute Montag ist.
Er sagte, merk dir, dass ich komme.
Tu te souviens que je suis végétarien ?
Oublie ça.
N'oublie pas d'acheter du pain.
J'ai oublié que c'était lundi.
Oublié que c'était lundi, désolé.
Traduis : souviens-toi que je suis là.
¿Recuerdas que soy celíaco?
Olvídalo.
No olvides comprar pan.
Olvidé que era lunes.
Recuerdo que era lunes.
Traduce: recuerda que soy celíaco.
"""


def _read(line: str) -> tuple[tuple[Command, ...], str, int]:
    """The commands of a line without its brackets, and what stands in them."""
    start = line.index("[")
    commands = commands_in(line.replace("[", "").replace("]", ""))
    return commands, line[start + 1 : line.index("]")], start


@for_each("line", _REMEMBER.strip().splitlines())
def test_a_command_to_remember_is_read_with_its_statement(line: str) -> None:
    commands, content, start = _read(line)
    assert commands == (Command(kind=CommandKind.REMEMBER, content=content, start=start),)


@for_each("line", _FORGET.strip().splitlines())
def test_a_command_to_forget_is_read_with_its_statement(line: str) -> None:
    commands, content, start = _read(line)
    assert commands == (Command(kind=CommandKind.FORGET, content=content, start=start),)


@for_each("line", _TOPICS.strip().splitlines())
def test_a_command_to_forget_a_topic_is_read_with_its_name(line: str) -> None:
    commands, content, start = _read(line)
    topic = Command(kind=CommandKind.FORGET_TOPIC, content=content, start=start)
    assert commands == (topic,)


@for_each("message", _NONE.strip().splitlines())
def test_what_only_sounds_like_a_command_is_none(message: str) -> None:
    assert commands_in(message) == ()


def test_the_commands_of_a_message_come_in_order() -> None:
    message = "Forget that I live in Ghent. What is new? Remember that I live in Ulm."
    commands = [(one.kind, one.content) for one in commands_in(message)]
    assert commands == [
        (CommandKind.FORGET, "I live in Ghent"),
        (CommandKind.REMEMBER, "I live in Ulm"),
    ]


@for_each("frame", ["```\n{}\n```", "> {}", 'A: "{}"', "The memo:\n{}"])
def test_a_command_that_is_quoted_or_code_is_none(frame: str) -> None:
    assert commands_in(frame.format("Remember that I am a vegan from Ghent.")) == ()


_PIECES = st.sampled_from(
    ("remember that", " I am", " vegan", "forget what I said about", "qu'", "?", ". ", ", ", "é ")
)


@given(st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=200))
def test_the_content_stands_in_the_message_at_its_place(message: str) -> None:
    for command in commands_in(message):
        assert command.content != ""
        assert message[command.start :].startswith(command.content)
