"""German."""

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

_HISSING: Final = ("s", "ß", "x", "z")


def _possess(owner: str, owned: str, _pronoun: str) -> str:
    """As in "Goethes Werke", "Hans' Adresse"; an owner with an article stands behind."""
    if owner.split(" ", 1)[0].lower() in {"der", "die", "das"}:
        return f"{owned} von {owner}"
    return f"{owner}' {owned}" if owner.endswith(_HISSING) else f"{owner}s {owned}"


_HIS: Final = Pronoun(Kind.PERSON, gender="m", possessive=True)
_HER: Final = Pronoun(plural=None, possessive=True)
_PRONOUNS: Final = {
    "er": Pronoun(Kind.PERSON, gender="m"),
    "ihn": Pronoun(Kind.PERSON, gender="m"),
    "ihm": Pronoun(Kind.PERSON, gender="m"),
    "es": Pronoun(Kind.THING),
    "sie": Pronoun(plural=None),
    "ihnen": Pronoun(plural=True),
    **dict.fromkeys(("sein", "seine", "seinen", "seinem", "seiner", "seines"), _HIS),
    **dict.fromkeys(("ihr", "ihre", "ihren", "ihrem", "ihrer", "ihres"), _HER),
}
_THIS: Final = {
    "dieser": "der", "diese": "die", "dieses": "das", "diesen": "den", "diesem": "dem",
    "jener": "der", "jene": "die", "jenes": "das",
}  # fmt: skip
_ADVERBS: Final = {
    "bei": "bei", "durch": "durch", "für": "für", "gegen": "gegen", "mit": "mit", "nach": "nach",
    "neben": "neben", "von": "von", "vor": "vor", "zu": "zu", "ran": "an", "rauf": "auf",
    "raus": "aus", "rin": "in", "rüber": "über", "rum": "um", "runter": "unter",
}  # fmt: skip

GERMAN: Final = LanguagePack(
    code="de",
    pronouns=MappingProxyType(_PRONOUNS),
    demonstratives=MappingProxyType(_THIS),
    personal=words(
        "ich mich mir mein meine meinen du dich dir dein deine wir uns unser unsere ihr euch man"
        " jemand niemand jeder etwas nichts alles sich"
    ),
    own_words=words(
        "mein meine meinen meinem meiner meines unser unsere unseren unserem unserer dein deine"
    ),
    definite=words("der die das den dem des"),
    indefinite=words("ein eine einen einem einer eines"),
    quantifiers=words(
        "alle allen aller jede jeder jedes viele viel wenige wenig mehr weniger meisten einige"
        " mehrere kein keine keinen beide genug"
    ),
    prepositions=words(
        "an am auf aus außer bei beim bis durch für gegen hinter im in ins mit nach neben ohne pro"
        " seit statt trotz über um unter von vom vor während wegen zu zum zur zwischen als wie laut"
    ),
    conjunctions=words("und oder aber sowie"),
    subordinators=words("dass weil wenn ob während obwohl"),
    auxiliaries=words(
        "ist bin bist sind war waren sei wird werden wurde wurden habe hast hat haben hatte hatten"
        " kann kannst können konnte konnten soll sollen sollte muss müssen musste darf dürfen will"
        " wollen wollte würde würden lässt gibt gab"
    ),
    copulas=words("ist bin sind war waren wird"),
    question_words=words(
        "was wer wen wem wessen welche welcher welches welchen welchem wo wann warum wieso wie"
        " wieviel woher wohin womit wofür wodurch"
    ),
    adverbs=words(
        "nicht auch je nie immer noch wieder schon nur sogar dann jetzt hier dort da wohl sehr"
        " wirklich meistens oft manchmal gut später zuerst zuletzt zusammen ja nein bitte"
        " eigentlich genau heute derzeit etwa so"
    ),
    place_adverbs=words("dort da hier"),
    pronominal_adverbs=MappingProxyType(
        {f"da{ending}": preposition for ending, preposition in _ADVERBS.items()}
    ),
    clause_words=words("wo wann"),
    infinitive_marks=words("zu"),
    verbs=words(
        "beginnen beginnt begann besteht bekommen bekommt bekam brauchen braucht bringen denken"
        " essen finden findet fand geben geben gehen geht ging gehören gehört gewinnen gewann"
        " gewonnen gelten gilt geschehen geschah passieren passiert heißen heißt helfen hilft"
        " kaufen kennen kosten kostet kommen kommt kam leben lebt lebte lernen liegen liegt machen"
        " macht machte gemacht nutzen produzieren sagen sagt sagte schreiben schrieb geschrieben"
        " sehen spielen spielt spielte sterben starb stehen steht studieren studierte verkaufen"
        " verkauft wissen weiß wohnen wohnt wohnte arbeiten arbeitet geboren gegründet"
    ),
    plural_endings=("en", "er", "e", "s"),
    adjectives=words(
        "berühmt bekannt beliebt wichtig gut schlecht neu alt groß klein hoch niedrig lang kurz"
        " jung teuer billig erfolgreich interessant möglich sicher"
    ),
    capital_nouns=True,
    attribute_nouns=words(
        "adresse alter anforderungen anzahl auswirkungen autor bedeutung bedingungen beispiele"
        " bevölkerung datum dauer direktor eigenschaften einwohner einwohnerzahl ergebnis"
        " ergebnisse fläche folgen funktion geschichte gewicht grund gründe größe hauptstadt höhe"
        " inhalt kosten leiter länge mitglieder nachteile name namen nummer postleitzahl preis"
        " preise produkte regeln risiken rolle symptome telefonnummer titel umsatz unterschied"
        " unterschiede ursache ursachen ursprung voraussetzungen vorteile wert zweck ziel ziele"
        " gewinn gewinner öffnungszeiten"
    ),
    class_nouns=words(
        "album band buch film firma gebiet gebäude gruppe hotel insel krankheit krieg künstler land"
        " lied museum organisation partei person projekt region restaurant roman schule serie song"
        " spiel stadt system team theorie unternehmen universität verein werk fluss berg schiff"
    ),
    person_nouns=words(
        "mann frau person schauspieler schauspielerin sänger sängerin autor autorin spieler könig"
        " königin präsident mutter vater sohn tochter bruder schwester lehrer arzt regisseur kunde"
        " gründer erfinder trainer minister kanzler"
    ),
    document_nouns=words("artikel abschnitt seite text dokument"),
    empty_nouns=words("art arten ding dinge teil mal zeit fall frage weise"),
    event_verbs=words("passiert passierte geschah geschieht"),
    saying_verbs=words("sagen sagt sagte denken denkt glauben glaubt wissen weiß bedeutet"),
    naming_words=words("namens genannt heißt"),
    months=words(
        "januar februar märz april mai juni juli august september oktober november dezember"
    ),
    time_units=words("tag woche monat quartal jahr saison jahrzehnt stunde"),
    number_words=words("zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig hundert"),
    openers=sequences(
        "und wie ist es mit, wie ist es mit, und was ist mit, was ist mit, wie sieht es mit, "
        "wie wäre es mit, was wenn, und dann, und auch, und, oder, aber, dann, auch, nur, "
        "jetzt, dasselbe für, das gleiche für, ich meine"
    ),
    trailing=words("dann auch noch bitte stattdessen aus"),
    else_words=words("sonst"),
    other_words=words("andere anderen anderer anderes weitere weiteren"),
    only_words=words("nur lediglich"),
    also_words=words("auch ebenfalls"),
    same_words=words("dasselbe gleiche"),
    next_words=words("nächste nächsten nächstes folgenden"),
    previous_words=words("vorige vorigen letzten vorherigen"),
    ordinals=words("erste zweite dritte letzte"),
    comparators=words("mehr weniger größer kleiner höher niedriger länger kürzer über unter"),
    pleonastic=words("möglich wahr wichtig schwer leicht nötig besser wahrscheinlich"),
    pleonastic_after=words("zu dass , für"),
    impersonal=sequences("ging es, gab es"),
    impersonal_verbs=words("regnet schneit gibt spät geht"),
    small_talk=words(
        "danke dankeschön vielen dank hallo hi guten morgen tag abend tschüss auf wiedersehen ok"
        " okay ja nein gut super toll prima schön perfekt bitte sehr für die hilfe das ist war"
        " alles es und ein schönen noch"
    ),
    closing_words=words("danke dankeschön tschüss dank"),
    reply_words=words("ja nein ok okay gut danke interessant sicher schön also"),
    indifference=sequences("ist mir egal, spielt keine rolle, keine präferenz"),
    preferring=words("präferenz möchten wollen"),
    requests=words(
        "zeige zeig liste nenne nenn gib finde suche beschreibe erkläre vergleiche sortiere"
        " gruppiere zähle berechne filtere"
    ),
    data_words=words(
        "zeige zeig liste nenne gib sortiere gruppiere zähle gesamten gesamt gesamtumsatz"
        " durchschnitt durchschnittliche anzahl summe höchste niedrigste meisten wenigsten mehr"
        " weniger maximum minimum top pro jede jeder zwischen umsatz verkäufe wieviele alle viele"
    ),
    open_words=words("warum wieso wie beschreibe erkläre über du ich bedeutet unterschied"),
    inverts_verbs=True,
    which_words=words("welche welcher welches welchen welchem was wieviel wieviele"),
    counting=words("viele viel ist"),
    ordering=words("sortiere gruppiere ordne"),
    grouping=words("pro je"),
    removal_words=words("entferne ohne ignoriere"),
    all_words=words("alle jede jedes"),
    aggregates=words(
        "durchschnittliche gesamte summe maximum minimum meisten wenigsten höchste niedrigste"
        " größte kleinste längste kürzeste älteste jüngste beste schlechteste"
    ),
    opposites=pairs(
        "meisten wenigsten, wenigsten meisten, höchste niedrigste, niedrigste höchste, "
        "größte kleinste, kleinste größte, erste letzte, letzte erste, mehr weniger, "
        "weniger mehr, vor nach, nach vor, aufsteigend absteigend, absteigend aufsteigend"
    ),
    the="die",
    of="von",
    about="über",
    conjunction="und",
    concerning="bei",
    about_words=words("interessantes informationen details wissen erzählen etwas sonst mehr"),
    place_prepositions=words("in im nach"),
    possess=_possess,
)
