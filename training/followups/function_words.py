"""Words that carry no content, in five languages; and words that may connect an inserted span."""

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which spaces and line breaks separate."""
    return frozenset(text.split())


ARTICLES: Final = word_set(
    """the a an de het een der die das dem den des ein eine einen einem einer le la les l' un une el
    los las lo una du d'"""
)
FUNCTION_WORDS: Final = word_set(
    """
a an the this that these those it its they them their theirs he him his she her hers i me my we us
our you your yours is are was were be been being am do does did doing done have has had having can
could will would shall should may might must of in on at to for from by with about as into than and
or but if so then there here also too just ok okay oh well please what which one ones any some such
up out off like get got let now again yes no s t m d ll ve re how who when where why not all more
most other else instead same during between per each
de het een der die dat dit deze hij hem zij ze haar hun hen zijn was waren wordt worden werd is ben
bent wij we ons onze jij je jouw u uw ik me mij mijn er daar hier dan toen van voor in op aan bij
met naar uit over om te tot als en of maar want dus ook nog wel niet geen al alle alles meer meest
wat welke wie waar wanneer waarom hoe hoeveel welk kan kun kunnen kunt mag moet moeten zou zouden
heb hebt heeft hebben had hadden gaat gaan doe doet doen eens even graag nee ja nou oké ervan
daarvan daarvoor ervoor erop daarop erover daarover ermee daarmee erin daarin eraan daaraan erbij
daarbij eruit daarnaar daartoe hiervan hiervoor ander andere zelfde hetzelfde eerste tweede derde
laatste dezelfde dezelfden t n zo alleen per zonder tussen
der die das dem den des ein eine einen einem einer eines er sie es ihn ihm ihr ihre ihren ihrem
ihrer ihnen sein seine seinen seinem seiner ich mich mir mein meine wir uns unser unsere du dich dir
dein deine ist sind war waren wird werden wurde wurden bin bist hat haben habe hatte hatten kann
können konnte muss müssen soll sollen darf dürfen will wollen mag und oder aber denn also auch noch
schon nicht kein keine nur mehr von vom für in im an am auf bei beim mit nach zu zum zur aus über um
als wie was welche welcher welches welchen wer wo wann warum wieso weshalb wieviel viel da dort hier
dann davon dafür damit darauf darüber daran darin dabei daraus dazu dagegen dies diese dieser dieses
diesen diesem jene jener beide beiden erste ersten zweite zweiten dritte dritten letzte letzten
letzteren letzterer selbe dasselbe dieselbe man sich bitte ja nein ok so jetzt ohne zwischen pro
le la les l' un une des du de d' au aux à il elle ils elles on nous vous je j' tu te t' me m' mon ma
mes ton ta tes son sa ses notre nos votre vos leur leurs lui eux y en ce c' cet cette ces ça cela
ceci celui celle ceux celles qui que qu' quoi dont où quand comment combien pourquoi quel quelle
quels quelles est sont était étaient être a ont avait avoir ai as fait faire peut peuvent pourrait
doit doivent faut va vont et ou mais donc or ni car si ne n' pas plus moins aussi encore déjà très
pour par dans sur sous avec sans entre vers chez là ici alors s' première premier deuxième second
seconde troisième dernier dernière même autre autres oui non ok merci ci bien stp svp
el la los las lo un una unos unas del de al a él ella ellos ellas ello le les se me mi mis te tu tus
yo nosotros nos nuestro nuestra usted ustedes su sus suyo suya este esta estos estas esto ese esa
esos esas eso aquel aquella aquello que qué quien quién cual cuál cuáles cuales cuando cuándo donde
dónde como cómo cuánto cuánta cuántos cuántas cuanto por porqué es son era eran fue fueron ser está
están estar estaba hay había ha han he hemos tiene tienen tener puede pueden puedo debe deben y e o
u pero pues si no sí más menos también aún ya muy para en con sin sobre entre desde hasta ahí allí
aquí allá entonces primero primera segundo segunda tercero tercera último última mismo misma otro
otra otros otras solo sólo va van hace hacer gracias vale
"""
)
OPENERS: Final = word_set(
    """show list give tell many find count compare explain toon geef laat noem vergelijk zeige zeig
    nenne gib liste montre donne liste muestra dame lista dime"""
)
"""Verbs that open a request: with the function words, they lose their capital inside a sentence."""

POINTERS: Final = word_set(
    """it its they them their theirs he him his she her hers this that these those there then one
    ones such same
    first second third fourth fifth sixth last latter former other both two three
    het dat dit die deze hij hem ze zij haar hun hen er daar daarvan daarvoor daarmee daarin daarop
    daarover daaraan daarbij daaruit daarnaar daartegen ervan ervoor ermee erin erop erover eraan
    erbij eruit hiervan hiervoor hiermee hierin hierop zulke zo'n toen dezelfde hetzelfde
    es das dies diese dieser dieses diesen diesem er sie ihn ihm ihr ihre ihren ihrem ihrer sein
    seine seinen der die den dem dort davon dafür damit darin darauf darüber daran dabei daraus dazu
    dagegen hiervon hierfür solche damals
    il elle ils elles le la les l' lui leur leurs y en ce c' cet cette ces ça cela ceci celui celle
    ceux celles son sa ses là ci même alors
    lo la los las le les él ella ellos ellas eso esto esa ese esas esos este esta estos estas su sus
    allí ahí aquel aquella ello mismo misma entonces"""
)
"""Words that point back to something said before, or may do so."""
DISCARDABLE: Final = word_set(
    """sorry mean meant actually rather instead please thanks ok okay same thing question oh well
    yes no wait correction
    bedoel bedoelde bedoelt eigenlijk sorry liever graag zelfde hetzelfde dezelfde vraag nee ja oké
    wacht ding
    meine meinte gemeint eigentlich entschuldigung bitte gleiche gleichen dasselbe frage nein doch
    moment
    voulais dire pardon désolé plutôt pareil même chose question non oui merci attends
    quería quise decir perdón perdona mejor mismo misma cosa pregunta gracias vale espera"""
)
"""Content words that a follow-up may lose: they say how it follows, not what it asks."""

_SINGLE: Final = {
    "en": """of in for about to with than the on from by at and or is why as a are during when who
        between per not only without""",
    "nl": """van voor bij op over dan de het een met naar uit per door om en of zijn is die dat aan
        tot te zonder alleen welke hoeveel wat waarom onder tussen tijdens sinds na in""",
    "de": """von für bei über als der die das den dem des im am zum zur vom mit nach aus auf und
        oder eine einen einem einer ein pro ohne nur warum ob zwischen seit durch gegen in an zu""",
    "fr": """de du des pour dans à sur que le la les l' d' au aux avec et ou par en entre un une
        sans pourquoi est chez depuis qu'""",
    "es": """de del para sobre el la los las al con y o por desde una un sin si hay entre según en a
        que""",
}
_DOUBLE: Final = {
    "en": """of the|of a|in the|in a|for the|for a|than the|about the|with the|with a|or the|and the
        |to the|to a|on the|on a|from the|by the|at the|is the|are the|between the""",
    "nl": """van de|van het|van een|in de|in het|voor de|voor het|voor een|bij de|bij het|op de
        |op het|met de|met het|met een|dan de|dan het|over de|over het|aan de|aan het|naar de|uit de
        |en de|of de|of het|en het|tussen de""",
    "de": """von der|von den|von dem|in der|in den|in dem|für die|für den|für das|für einen|für eine
        |bei der|bei den|bei dem|mit der|mit dem|mit den|mit einem|mit einer|auf der|auf dem|auf den
        |über die|über das|über den|als der|als die|als das|und die|und der|und das|oder die
        |oder der|oder das|an der|an den|aus der|aus dem|zu den|zu der|nach der|nach dem""",
    "fr": """de la|de l'|à la|à l'|dans le|dans la|dans les|dans l'|pour le|pour la|pour les|pour l'
        |sur le|sur la|sur les|sur l'|que le|que la|que les|que l'|et le|et la|et les|et l'|ou le
        |ou la|ou les|ou l'|avec le|avec la|avec les|avec l'|par le|par la|d' un|d' une|à un""",
    "es": """de la|de los|de las|en el|en la|en los|en las|para el|para la|para los|para las|con el
        |con la|con los|con las|sobre el|sobre la|que el|que los|que la|y el|y la|y los|o la|o el
        |a la|a los|a las|por el|por la|de un|de una|con un|con una|en un|en una""",
}
CONNECTORS_OF: Final = {
    code: ("", ",", *_SINGLE[code].split(), *(pair.strip() for pair in _DOUBLE[code].split("|")))
    for code in _SINGLE
}
"""What may stand between a question's word and an inserted span, by language."""
CONNECTORS: Final = tuple(dict.fromkeys(word for words in CONNECTORS_OF.values() for word in words))
"""All of them; the first is nothing."""
