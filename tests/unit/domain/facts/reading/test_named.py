"""Which fact a named thing of the user's means, and that any doubt means none."""

from conformance.contracts.facts_shared import a_fact
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.commands.named import NamedFacts, facts_named
from support.tables import for_each

_CERTAIN = """
Forget my dog | I have a dog.
Forget my dog | I have a dog called Rex.
Forget my dog | I've got a dog that is afraid of thunder.
Forget our cat | We have a cat named Tom.
Vergeet mijn hond | Ik heb een hond die Rex heet.
Vergeet mijn hond | Ik heb een hond, die Rex heet.
Vergeet mijn hond | Ik heb een hond genaamd Rex.
Vergiss meinen Hund | Ich habe einen Hund, der Rex heißt.
Vergiss meine Katze | Ich habe eine Katze namens Mia.
Oublie mon chien | J'ai un chien qui s'appelle Rex.
Oublie mon chat | J'ai un chat nommé Félix.
Olvida mi perro | Tengo un perro que se llama Rex.
Olvida mi gata | Tengo una gata llamada Luna.
Forget my wife's name | My wife's name is Anna.
Forget my wife's name | My wife is called Anna.
Forget my wife's name | The first name of my wife is Anna.
Forget my wife's birthday | My wife's birthday is 3 May.
Vergeet de naam van mijn vrouw | Mijn vrouw heet Anna.
Vergeet de naam van mijn vrouw | De naam van mijn vrouw is Anna.
Vergiss den Namen meiner Frau | Meine Frau heißt Anna.
Vergiss den Namen meiner Frau | Der Name meiner Frau ist Anna.
Vergiss den Namen meines Hundes | Mein Hund heißt Rex.
Oublie le nom de ma femme | Ma femme s'appelle Anna.
Oublie le prénom de ma femme | Le nom de ma femme est Anna.
Olvida el nombre de mi mujer | Mi mujer se llama Anna.
Olvida el nombre de mi mujer | El nombre de mi mujer es Anna.
"""
_DOUBTFUL = """
Forget my dog | My dog is black, and my cat is called Tom.
Forget my wife | My wife is a nurse and I work at Shell.
Forget my dog | I have a dog called Rex as well as a cat.
Forget my dog | I have a dog called Rex & a cat called Tom.
Olvida mi perro | Tengo un perro que además muerde.
Forget my dog | My dog is black. My cat is white.
Vergeet mijn fiets | Mijn fiets is rood en mijn telefoonnummer is 12345.
Vergiss meinen Arzt | Mein Arzt ist Müller und mein Zahnarzt ist Schmidt.
Oublie mon médecin | Mon médecin est Dupont et mon dentiste est Martin.
Olvida mi perro | Mi perro es negro y que vivo en Lima.
Forget my dog | I have a dog and a cat.
Forget my dog | I have a dog that my wife Ann walks.
Forget my dog | I have a dog in Hull.
Forget my dog | I have a dog called Rex, and I live in Hull.
Forget my dog | I have a dog that bites but I live in Hull.
Forget my dog | My wife has a dog.
Forget my dog | I have a dog. | My neighbour hates my dog.
Forget my dog | I have a dog called Rex. | I have a dog called Max.
Vergeet mijn hond | Ik heb een hond die Rex heet en een kat.
Vergiss meinen Hund | Ich habe einen Hund und eine Katze.
Oublie mon chien | J'ai un chien et un chat.
Olvida mi perro | Tengo un perro y un gato.
Forget my wife's name | My wife Anna works at Philips.
Forget my wife's name | My wife's name is Anna. | Anna works at Philips.
Forget my wife's name | My wife's name is Anna and she works at Philips.
Forget my wife's birthday | My wife's name is Anna.
Vergeet de naam van mijn vrouw | Mijn vrouw heet Anna. | Anna werkt bij Philips.
"""
_UNMEANT = """
Forget my dog | I live in Hull.
Forget my wife's name | My dog's name is Rex.
Oublie mon chien | J'habite à Lyon.
"""


def _named(line: str) -> tuple[NamedFacts, list[str]]:
    command, *contents = line.split(" | ")
    (found,) = commands_in(command)
    assert found.thing is not None
    return facts_named(found.thing, map(a_fact, contents)), contents


@for_each("line", _CERTAIN.strip().splitlines())
def test_the_only_fact_about_a_thing_is_meant(line: str) -> None:
    named, (content,) = _named(line)
    assert named.certain is not None
    assert named.certain.content == content


@for_each("line", _CERTAIN.strip().splitlines())
def test_facts_about_other_matters_change_nothing(line: str) -> None:
    named, (content, _) = _named(f"{line} | I collect stamps.")
    assert [one.content for one in named.possible] == [content]
    assert named.certain == named.possible[0]


@for_each("line", _DOUBTFUL.strip().splitlines())
def test_what_may_tell_more_or_be_another_fact_is_asked_about(line: str) -> None:
    named, contents = _named(line)
    assert named.certain is None
    assert [one.content for one in named.possible] == contents


@for_each("line", _UNMEANT.strip().splitlines())
def test_what_no_fact_is_about_means_none(line: str) -> None:
    named, _ = _named(line)
    assert named == NamedFacts(certain=None, possible=())
