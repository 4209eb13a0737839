"""Commands that end facts without a word of what they say, and what only sounds like one."""

from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in, only_forgets
from recollect.domain.facts.reading.commands.named import NamedThing
from recollect.domain.facts.slots import Slot
from support.tables import for_each

_SLOTS = """
name: [Forget my name]
name: Please [forget my name], thanks.
name: Could you please [forget my name]?
name: I want you to [forget my name].
name home: [Forget my name and where I live]
name birthday age: [forget my name, my birthday and how old I am] please!
home: [Forget where I live].
home: Ok. [Forget my address] now.
home: [Delete my address] from your memory.
employer: [Forget where I work].
manager: [Forget who my manager is]
name: [Vergeet mijn naam]
name: [Vergeet alsjeblieft mijn naam].
name: Wil je [mijn naam vergeten], alsjeblieft?
home: [Vergeet waar ik woon].
home: [Wis mijn adres] uit je geheugen
employer: Oké, [vergeet waar ik werk].
name: [Vergiss meinen Namen]
name: [Vergiss bitte meinen Namen].
name: Kannst du bitte [meinen Namen vergessen]?
home: [Vergiss, wo ich wohne].
birthday: [Lösche mein Geburtsdatum] aus deinem Gedächtnis.
home: [Oublie mon adresse]
name: S'il te plaît, [oublie mon nom].
home employer: [Oublie où j'habite et où je travaille].
home: Peux-tu [oublier mon adresse], s'il te plaît ?
name: [Olvida mi nombre]
home: [Olvida dónde vivo], por favor.
age: ¿Puedes [olvidar mi edad], por favor?
name: [Borra mi nombre] de tu memoria.
"""
_EVERYTHING = """
[Forget everything you know about me]
[Forget everything about me].
Please [forget everything you know about me].
Thanks. [Delete everything you know about me], please!
Could you please [forget everything you know about me]?
[Forget what you know about me] now.
[Vergeet alles wat je over mij weet]
[Vergeet alles wat je van me weet] alsjeblieft.
Wil je alsjeblieft [alles vergeten wat je over mij weet]?
[Wis alles wat je over mij weet]!
[Vergiss alles, was du über mich weißt].
Bitte [lösche alles, was du über mich weißt].
Kannst du bitte [alles vergessen, was du über mich weißt]?
[Oublie tout ce que tu sais sur moi]
[Efface tout ce que tu sais de moi], stp.
Peux-tu [oublier tout ce que tu sais sur moi], s'il te plaît ?
[Olvida todo lo que sabes de mí]
Por favor, [borra todo lo que sabes sobre mí].
"""
_LAST = """
[Forget what I just said].
Please [forget what I just told you].
[Vergeet wat ik net zei].
[Vergiss, was ich gerade gesagt habe].
[Oublie ce que je viens de dire].
[Olvida lo que acabo de decir].
"""
_THAT = """
[Forget that].
Please [forget that]!
[Vergeet dat].
[Vergiss das], bitte.
"""
_NAMED = """
bike: [Forget my bike]
bike: Please [forget my bike], thanks.
phone number: [Forget my phone number].
allergy: Ok, [forget my allergy] now
dog: [Forget our dog]!
fiets: [Vergeet mijn fiets]
allergie: [Vergeet alsjeblieft mijn allergie].
baan: [Vergeet mijn baan] uit je geheugen
telefonnummer: [Vergiss meine Telefonnummer]
hund: [Vergiss bitte meinen Hund].
velo: [Oublie mon vélo]
travail: S'il te plaît, [oublie mon travail].
trabajo: [Olvida mi trabajo]
bici: [Olvida mi bici], por favor.
"""
_ATTRIBUTES = """
wife, name: [Forget my wife's name]
wife, name: Please [forget my wife\u2019s name].
dog, birthday: [Forget my dog's birthday]!
wife, name: [Forget the name of my wife].
vrouw, naam: [Vergeet de naam van mijn vrouw]
hond, leeftijd: [Vergeet alsjeblieft de leeftijd van mijn hond].
frau, namen: [Vergiss den Namen meiner Frau]
hundes, namen: [Vergiss bitte den Namen meines Hundes].
femme, prenom: [Oublie le prénom de ma femme]
chien, age: [Oublie l'âge de mon chien], s'il te plaît.
mujer, nombre: [Olvida el nombre de mi mujer]
hija, cumpleanos: [Olvida el cumpleaños de mi hija], por favor.
"""
_NONE = """
Forget my wife's name for now.
Forget his wife's name.
Forget the name of the wife.
Don't forget my wife's name.
I forget my wife's name.
Forget my wife's name?
Vergeet de naam van mijn vrouw niet.
Vergiss den Namen meiner Frau nicht.
N'oublie pas le nom de ma femme.
No olvides el nombre de mi mujer.
Forget my bike?
Can you forget my bike?
Could you please forget my bike?
Don't forget my bike.
Forget my bike for now.
Forget my bike, I take the bus.
Forget my bike and take the bus.
Forget my bike. What about the bus?
Forget my very old rusty bike.
Forget my message.
Forget my plans.
Forget my deadline.
Forget the bike.
Forget his bike.
Forget your bike.
Delete my bike.
I forget my bike.
She said: "Forget my bike."
If you forget my bike, I walk.
Forget my bike. Just kidding!
Vergeet mijn fiets niet.
Vergeet mijn fiets maar even.
Vergeet mijn vraag.
Vergeet zijn fiets.
Vergeet mijn budget.
Ik vergeet mijn fiets.
Kun je mijn fiets vergeten?
Vergiss meine Telefonnummer nicht.
Vergiss mein Budget.
Vergiss meine Frage.
Ich vergesse mein Fahrrad.
N'oublie pas mon vélo.
Oublie mon idée.
J'oublie mon vélo.
No olvides mi bici.
Olvida mi pregunta.
Siempre olvida mi bici.
Forget my name?
Can you forget my name?
Don't forget my name.
Do not forget where I live.
Never forget my name!
You forgot my name.
People forget my name.
I always forget my address.
Forget my name, call me Boss.
Forget my name is Emma's problem.
Forget my budget.
Forget where I live for now.
For this answer, forget where I live.
Forget everything you know about me for this question.
Forget my question.
Forget his name.
Forget where she lives.
Delete my address.
Remove my name.
If you forget my name, I'll be sad.
She said: "Forget my name and where I live."
Why did you forget my name?
Vergeet mijn naam niet.
Vergeet even waar ik woon.
Vergeet niet waar ik woon!
Vergeet je mijn naam?
Wis mijn naam
Vergiss meinen Namen nicht.
Vergiss mal kurz, wo ich wohne.
Vergiss nicht, wo ich wohne.
Vergisst du meinen Namen?
N'oublie pas mon adresse.
Oublie pas mon adresse !
Oublié mon adresse, désolé.
Tu oublies mon nom.
No olvides mi nombre.
Olvidé mi nombre.
Siempre olvida mi nombre.
¿Olvidas mi nombre?
Forget it.
Forget all that.
Forget everything.
Forget me.
Can you forget everything you know about me?
Did you forget everything you know about me?
Don't forget everything you know about me.
Forget everything you know about me except my name.
Forget everything you know about me and my family.
If I say forget everything about me, what happens?
How do I make you forget everything you know about me?
Forget everything you know about me. Just kidding!
Forget everything about me. No wait!
My ex should forget everything about me.
He said: "Forget everything you know about me."
Translate: forget everything you know about me.
Vergeet alles.
Vergeet niet alles wat je over mij weet.
Kun je alles vergeten wat je over mij weet?
Vergeet alles wat je over mij weet. Grapje!
Vergiss nicht alles, was du über mich weißt.
Kannst du alles vergessen, was du über mich weißt?
N'oublie pas tout ce que tu sais sur moi.
Peux-tu oublier tout ce que tu sais sur moi ?
No olvides todo lo que sabes de mí.
Olvida todo lo que sabes de mí salvo mi nombre.
Borra todo lo que sabes de mi trabajo.
¿Puedes olvidar todo lo que sabes de mí?
Forget that. Show me museums.
Hm. Forget that.
Forget that, let's go on.
Don't forget that.
Forget that?
Vergeet dat maar.
Vergeet dat niet.
Vergeet het.
Vergiss es.
Vergiss das nicht.
Oublie ça.
Olvida eso.
Forget what I just said about the budget, will you.
"""


def _read(line: str) -> tuple[tuple[Command, ...], str, int]:
    """The commands of a line without its brackets, and what stands in them."""
    start = line.index("[")
    commands = commands_in(line.replace("[", "").replace("]", ""))
    return commands, line[start + 1 : line.index("]")], start


@for_each("line", _SLOTS.strip().splitlines())
def test_what_is_to_be_forgotten_can_be_named(line: str) -> None:
    slots, _, text = line.partition(": ")
    commands, content, start = _read(text)
    named = frozenset(Slot(slot) for slot in slots.split())
    kind = CommandKind.FORGET_SLOTS
    assert commands == (Command(kind=kind, content=content, start=start, slots=named),)


@for_each("line", _NAMED.strip().splitlines())
def test_a_thing_of_the_users_can_be_named_by_its_noun(line: str) -> None:
    nouns, _, text = line.partition(": ")
    commands, content, start = _read(text)
    kind, thing = CommandKind.FORGET_NAMED, NamedThing(nouns=tuple(nouns.split()))
    assert commands == (Command(kind=kind, content=content, start=start, thing=thing),)


@for_each("line", _ATTRIBUTES.strip().splitlines())
def test_one_attribute_of_somebody_of_the_users_can_be_named(line: str) -> None:
    named, _, text = line.partition(": ")
    commands, content, start = _read(text)
    nouns, attribute = (tuple(one.split()) for one in named.split(", "))
    kind, thing = CommandKind.FORGET_NAMED, NamedThing(nouns=nouns, attribute=attribute)
    assert commands == (Command(kind=kind, content=content, start=start, thing=thing),)


@for_each(
    ("line", "kind"),
    [
        *((line, CommandKind.FORGET_EVERYTHING) for line in _EVERYTHING.strip().splitlines()),
        *((line, CommandKind.FORGET_LAST) for line in _LAST.strip().splitlines()),
        *((line, CommandKind.FORGET_THAT) for line in _THAT.strip().splitlines()),
    ],
)
def test_everything_or_the_last_message_can_be_forgotten(line: str, kind: CommandKind) -> None:
    commands, content, start = _read(line)
    assert commands == (Command(kind=kind, content=content, start=start),)


@for_each("message", _NONE.strip().splitlines())
def test_what_only_sounds_like_a_command_is_none(message: str) -> None:
    found = [one for one in commands_in(message) if one.kind is not CommandKind.FORGET_TOPIC]
    assert not any(one.is_sweeping for one in found)


def test_a_command_may_stand_beside_other_sentences() -> None:
    message = "Forget my name. Forget where I live. Remember that I live in Ulm."
    assert [one.kind for one in commands_in(message)] == [
        CommandKind.FORGET_SLOTS,
        CommandKind.FORGET_SLOTS,
        CommandKind.REMEMBER,
    ]


@for_each(
    ("text", "is_all"),
    [
        ("Forget my dog", True),
        ("Olvida mi perro.", True),
        ("Forget my name. Forget where I live.", True),
        ("Vergeet dat ik in Gent woon", True),
        ("Forget my name. I live in Rome.", False),
        ("Remember that I live in Rome.", False),
        ("Forget it", False),
        ("I live in Rome.", False),
        ("", False),
        ("Forget my name. " * 100, False),
    ],
)
def test_a_message_may_say_nothing_but_what_is_to_be_forgotten(text: str, *, is_all: bool) -> None:
    assert only_forgets(text) is is_all
