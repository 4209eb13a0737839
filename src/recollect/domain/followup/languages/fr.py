"""French."""

from types import MappingProxyType
from typing import Final

from recollect.domain.followup.languages.pack import (
    Kind,
    LanguagePack,
    Pronoun,
    pairs,
    sequences,
    words,
)

_ARTICLES: Final = {"son": "le", "sa": "la", "ses": "les", "leur": "le", "leurs": "les"}
_SOUNDS_OPEN: Final = tuple("aeiouyàâéèêëîïôûhœ")


def _possess(owner: str, owned: str, pronoun: str) -> str:
    """As in "son adresse" → "l'adresse de Marie"."""
    article = _ARTICLES.get(pronoun, "le")
    of = "d'" if owner.lower().startswith(_SOUNDS_OPEN) else "de "
    if article != "les" and owned.lower().startswith(_SOUNDS_OPEN):
        return f"l'{owned} {of}{owner}"
    return f"{article} {owned} {of}{owner}"


_OWNING: Final = Pronoun(possessive=True)
_PRONOUNS: Final = {
    "il": Pronoun(gender="m"),
    "elle": Pronoun(gender="f"),
    "ils": Pronoun(plural=True),
    "elles": Pronoun(plural=True),
    "lui": Pronoun(Kind.PERSON),
    "eux": Pronoun(plural=True),
    "cela": Pronoun(Kind.THING),
    "ça": Pronoun(Kind.THING),
    **dict.fromkeys(("son", "sa", "ses"), _OWNING),
    **dict.fromkeys(("leur", "leurs"), Pronoun(plural=True, possessive=True)),
}

FRENCH: Final = LanguagePack(
    code="fr",
    pronouns=MappingProxyType(_PRONOUNS),
    demonstratives=MappingProxyType({"ce": "le", "cet": "l'", "cette": "la", "ces": "les"}),
    personal=words(
        "je j' moi me m' mon ma mes tu toi te t' ton ta tes nous notre nos vous votre vos on"
        " quelqu'un personne rien tout se s' soi c'"
    ),
    own_words=words("mon ma mes notre nos votre vos ton ta tes"),
    definite=words("le la les l'"),
    indefinite=words("un une des du"),
    quantifiers=words(
        "tous toutes toute chaque plusieurs quelques aucun aucune beaucoup plus moins peu assez"
    ),
    prepositions=words(
        "à au aux avant avec après chez contre dans de d' depuis derrière dès devant durant en"
        " entre hors jusqu' malgré par parmi pendant pour sans selon sous sur vers concernant"
    ),
    conjunctions=words("et ou mais ni donc"),
    subordinators=words("que qu' qui dont où si lorsque lorsqu' parce quand"),
    auxiliaries=words(
        "est es suis sont était étaient sera seront fut furent a ai as ont avait avaient aura peut"
        " peux peuvent pouvait doit doivent va vont fait font faut êtes est-ce"
    ),
    copulas=words("est sont était étaient sera fut"),
    question_words=words(
        "qui que quoi quel quelle quels quelles où quand pourquoi comment combien lequel laquelle"
    ),
    adverbs=words(
        "ne n' pas aussi jamais toujours encore déjà seulement même alors maintenant ici là très"
        " vraiment souvent parfois bien mieux ensuite enfin ensemble oui non actuellement puis"
        " aujourd'hui environ y"
    ),
    place_adverbs=words("là-bas y"),
    clause_words=words("où quand dont"),
    infinitive_marks=words("à de d' pour"),
    verbs=words(
        "acheter aider aimer appeler appelle appartient apprendre arriver arrivé avoir changer"
        " choisir commencer commence commencé coûter coûte coûtent chanter donner donne écrire"
        " écrit étudier étudié exister existe fabriquer finir gagner gagné gagne habiter habite"
        " jouer joue joué manger mourir mort morte naître né née obtenir ouvrir parler passer passé"
        " payer penser perdre produire produit recevoir reçu rester signifie sortir sorti tuer"
        " travailler travaille trouver trouve utiliser vendre vend venir vient vivre vit vécu voir"
        " vouloir fondé publié créé dirigé dirige raconter"
    ),
    plural_endings=("s", "x"),
    adjectives=words(
        "célèbre célèbres connu connue connus populaire important importante bon bonne mauvais"
        " nouveau nouvelle ancien ancienne autre grand grande petit petite haut haute bas long"
        " court jeune cher chère intéressant intéressante possible meilleur meilleure principal"
        " principale principaux"
    ),
    attribute_nouns=words(
        "adresse âge auteur avantages avantage capitale cause causes chiffre composition conditions"
        " conséquences coût coûts date description différence différences directeur durée effets"
        " exemples fonction fondateur gagnant hauteur histoire horaires importance inconvénients"
        " ingrédients langue longueur membres nom noms nombre numéro objectif origine personnages"
        " poids population prix produits profession résultat résultats risques rôle règles salaire"
        " siège signification surface symptômes taille téléphone titre total traitement types"
        " valeur ventes exigences"
    ),
    class_nouns=words(
        "album artiste auteur bataille chanson chanteur chanteuse club entreprise équipe film"
        " fleuve groupe guerre hôtel île livre maison maladie marque montagne musée oeuvre œuvre"
        " organisation parti pays personne plante produit projet région restaurant roi roman série"
        " société système tableau théorie université ville village"
    ),
    person_nouns=words(
        "homme femme personne acteur actrice chanteur chanteuse auteur écrivain joueur roi reine"
        " président mère père fils fille frère soeur sœur professeur médecin réalisateur client"
        " fondateur inventeur entraîneur ministre"
    ),
    document_nouns=words("article section page texte document"),
    empty_nouns=words("sorte sortes type chose choses manière partie fois temps cas question"),
    event_verbs=words("passé passe arrivé"),
    saying_verbs=words("dire dit pense penser sait croire croit"),
    naming_words=words("appelé appelée nommé nommée"),
    months=words(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    ),
    time_units=words("jour semaine mois trimestre année an saison décennie heure"),
    number_words=words("deux trois quatre cinq six sept huit neuf dix douze vingt cent"),
    openers=sequences(
        "et qu'en est-il de, qu'en est-il de, et à propos de, à propos de, et si, et alors, "
        "et aussi, quid de, et, ou, mais, alors, aussi, seulement, uniquement, maintenant, "
        "pareil pour, je veux dire"
    ),
    trailing=words("alors aussi plutôt merci"),
    else_words=words("d'autre sinon"),
    other_words=words("autre autres"),
    only_words=words("seulement uniquement"),
    also_words=words("aussi également"),
    same_words=words("pareil idem"),
    next_words=words("prochain prochaine suivant suivante"),
    previous_words=words("précédent précédente"),
    ordinals=words("premier première deuxième troisième dernier dernière"),
    comparators=words("plus moins supérieur inférieur avant après"),
    pleonastic=words("possible vrai important difficile facile nécessaire probable faut"),
    pleonastic_after=words("de que d' qu'"),
    impersonal=sequences("ça va"),
    impersonal_verbs=words("pleut neige faut y"),
    small_talk=words(
        "merci beaucoup bonjour bonsoir salut au revoir bonne journée soirée d'accord ok oui non"
        " parfait super génial très bien c' est tout pour votre ton aide et à bientôt"
    ),
    closing_words=words("merci revoir"),
    reply_words=words("oui non ok d'accord merci intéressant bien super parfait"),
    indifference=sequences("peu importe, m'est égal, pas de préférence"),
    preferring=words("préférence voulez souhaitez"),
    requests=words(
        "montre montrez montre-moi affiche affichez liste listez donne donnez donne-moi trouve"
        " décris explique compare trie trier groupe compte calcule filtre"
    ),
    data_words=words(
        "montre montrez montre-moi affiche affichez liste donne trie groupe compte total totales"
        " totaux moyenne somme nombre maximum minimum top par chaque entre ventes"
        " chiffre combien tous toutes"
    ),
    open_words=words("pourquoi comment décris explique vous je signifie différence"),
    inverts_verbs=True,
    which_words=words("quel quelle quels quelles que quoi combien lequel laquelle"),
    counting=words("de"),
    ordering=words("trie triez groupe classe classez"),
    grouping=words("par"),
    removal_words=words("enlève supprime sans retire"),
    all_words=words("tous toutes"),
    aggregates=words("moyenne total totale somme maximum minimum meilleur pire"),
    opposites=pairs(
        "plus moins, moins plus, premier dernier, dernier premier, avant après, après avant, "
        "croissant décroissant, décroissant croissant, meilleur pire, pire meilleur"
    ),
    the="le",
    of="de",
    about="sur",
    conjunction="et",
    concerning="pour",
    about_words=words("intéressant informations détails savoir dire chose autre"),
    place_prepositions=words("à en dans"),
    possess=_possess,
)
