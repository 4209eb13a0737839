"""Dutch."""

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

_VOWELS: Final = tuple("aiouy")
_HISSING: Final = ("s", "x", "z")


def _possess(owner: str, owned: str, _pronoun: str) -> str:
    """Names take an s ("Jans adres", "Anna's adres"), other owners stand behind."""
    if owner.split(" ", 1)[0].lower() in {"de", "het"} or owner[-1:].isdigit():
        return f"de {owned} van {owner}"
    if owner.endswith(_HISSING):
        return f"{owner}' {owned}"
    clitic = "'s" if owner.endswith(_VOWELS) else "s"
    return f"{owner}{clitic} {owned}"


_PRONOUNS: Final = {
    "hij": Pronoun(Kind.PERSON, gender="m"),
    "hem": Pronoun(Kind.PERSON, gender="m"),
    "zijn": Pronoun(Kind.PERSON, gender="m", possessive=True),
    "zij": Pronoun(plural=None),
    "ze": Pronoun(plural=None),
    "haar": Pronoun(Kind.PERSON, gender="f", possessive=True),
    "hen": Pronoun(plural=True),
    "hun": Pronoun(plural=True, possessive=True),
    "het": Pronoun(Kind.THING),
}
_ADVERBS: Final = (
    "aan", "achter", "binnen", "bij", "boven", "buiten", "door", "in", "langs", "na", "naar",
    "naast", "om", "onder", "op", "over", "tegen", "tussen", "uit", "van", "voor",
)  # fmt: skip
_ADVERBS_WITH: Final = {"mee": "met", "toe": "tot", "heen": "naar", "vandaan": "van"}


def _pronominal_adverbs() -> dict[str, str]:
    """As in "daarvoor" and "hiervoor" stand for "voor dat" and "voor dit"."""
    joined = {preposition: preposition for preposition in _ADVERBS} | _ADVERBS_WITH
    return {
        f"{lead}{ending}": preposition
        for lead in ("daar", "hier", "er")
        for ending, preposition in joined.items()
    }


DUTCH: Final = LanguagePack(
    code="nl",
    pronouns=MappingProxyType(_PRONOUNS),
    demonstratives=MappingProxyType({"deze": "de", "die": "de", "dit": "het", "dat": "het"}),
    personal=words(
        "ik mij me mijn mezelf jij je jou jouw u uw wij we ons onze jullie men iemand iedereen"
        " niemand iets niets alles zich zichzelf elkaar"
    ),
    own_words=words("mijn ons onze jouw uw jullie"),
    definite=words("de het"),
    indefinite=words("een"),
    quantifiers=words(
        "alle al elke elk ieder iedere veel weinig meer minder meeste minste enkele sommige"
        " verschillende geen beide genoeg"
    ),
    prepositions=words(
        "aan achter bij binnen boven buiten door in langs met na naar naast om onder op over per"
        " rond sinds tegen tijdens tot tussen uit van vanaf via voor volgens zonder dan als behalve"
        " betreffende qua wegens"
    ),
    conjunctions=words("en of maar noch plus"),
    subordinators=words(
        "die dat waar waarin waarvan wanneer wie welke omdat als terwijl dat zodat"
    ),
    auxiliaries=words(
        "is ben bent was waren wordt worden werd werden heb hebt heeft hebben had hadden kan kun"
        " kunt kunnen kon konden zal zult zullen zou zouden mag mogen moet moeten moest wil wilt"
        " willen wilde laat laten doet doen deed ga gaat gaan ging zit staat zijn"
    ),
    copulas=words("is ben bent was waren wordt zijn"),
    question_words=words(
        "wat wie wiens welke welk waar wanneer waarom hoe hoeveel waarmee waarvoor waaruit waarom"
    ),
    adverbs=words(
        "niet ook ooit nooit altijd nog weer al alleen maar zelfs dan nu hier daar er wel heel"
        " erg echt vooral meestal vaak soms goed verder later eerst laatst samen ja nee graag"
        " alstublieft momenteel vandaag precies eigenlijk te zo ongeveer"
    ),
    place_adverbs=words("daar hier"),
    pronominal_adverbs=MappingProxyType(_pronominal_adverbs()),
    clause_words=words("waar wanneer waarvan waarbij"),
    infinitive_marks=words("te"),
    verbs=words(
        "beginnen begint begon begonnen behoren betalen betekenen betekent bestaan bestaat"
        " bevatten bezoeken bieden biedt bouwen gebouwd brengen bracht denken doden dragen"
        " eindigen eten gebeuren gebeurt gebeurde gebeurd gebruiken gebruikt geven geeft gaf"
        " gekregen geldt gelden geleden groeien daalt daalde steeg stijgt bestelt bestelde"
        " verdient verdiende helpen helpt horen hoort kennen kent kiezen komen komt kwam kopen"
        " koopt kocht kochten kost kosten krijgen krijgt kreeg leren leven leeft liggen ligt"
        " lopen loopt maken maakt maakte gemaakt nemen nodig opgericht produceren schrijven"
        " schreef geschreven spelen speelt speelde staan sterven stierf verkopen verkocht vinden"
        " vindt vond vragen weten weet werken werkt werkte winnen wint won gewonnen wonen woont"
        " woonde zeggen zegt zei zien zingen zoeken gaan geboren getrouwd uitgebracht"
    ),
    plural_endings=("en", "s"),
    adjectives=words(
        "beroemd beroemde populair populaire belangrijk belangrijke goed goede slecht slechte beste"
        " slechtste nieuw nieuwe oud oude ander andere groot grote klein kleine hoog hoge laag lage"
        " lang lange kort korte vroeg late jong bekend bekende duur dure goedkoop goedkope"
        " succesvol interessant interessante mogelijk mogelijke voornaamste verplicht veilig"
    ),
    adjective_endings=("se", "ische", "aanse"),
    attribute_nouns=words(
        "aantal aantallen achtergrond adres adressen auteur begin belang betekenis bevolking datum"
        " directeur doel duur eigenschap eigenschappen eigenaar eind effect effecten functie"
        " geschiedenis gevolg gevolgen gewicht grootte hoofdstad hoogte inhoud inwoners kenmerken"
        " klachten kosten kwaliteit leden leeftijd lengte locatie maker maten naam namen nadeel"
        " nadelen nummer onderdelen oorsprong oorzaak oorzaken oplossing omzet oppervlakte"
        " openingstijden postcode prijs prijzen producten regels resultaat resultaten richtlijnen"
        " risico risico's rol salaris score stappen symptomen symptoom taak taken telefoonnummer"
        " temperatuur titel toepassing toepassingen totaal uitkomst vereisten eisen verschil"
        " verschillen voordeel voordelen voorbeeld voorbeelden voorwaarden waarde winst winnaar"
        " eigenaars planning budget procedure kleur kleuren"
    ),
    class_nouns=words(
        "album artiest auteur band bedrijf boek club film gebied gebouw gemeente groep instelling"
        " hotel koning land lied liedje liedjes merk museum muziek nummer oorlog organisatie partij"
        " persoon plaats plan plant president product project provincie regio restaurant rivier"
        " roman school serie show single song speler stad ster systeem team theorie universiteit"
        " vereniging verhaal wedstrijd werk ziekte zanger zangeres schilderij schip eiland berg"
        " machine norm wet methode"
    ),
    person_nouns=words(
        "man vrouw jongen meisje persoon acteur actrice zanger zangeres auteur schrijver speler"
        " koning koningin president moeder vader echtgenoot zoon dochter broer zus docent leraar"
        " student arts regisseur kunstenaar medewerker klant oprichter uitvinder trainer minister"
    ),
    document_nouns=words("artikel hoofdstuk pagina tekst document"),
    empty_nouns=words("soort soorten type ding dingen manier manieren deel keer tijd geval vraag"),
    event_verbs=words("gebeurt gebeurde gebeurd gebeuren veranderde veranderd"),
    saying_verbs=words(
        "zeggen zegt zei denken denkt dacht weten weet wist vinden vindt betekent beweert"
    ),
    naming_words=words("genaamd heet genoemd heten"),
    months=words(
        "januari februari maart april mei juni juli augustus september oktober november december"
    ),
    time_units=words("dag week maand kwartaal jaar seizoen decennium uur"),
    number_words=words("één twee drie vier vijf zes zeven acht negen tien twaalf twintig honderd"),
    openers=sequences(
        "en hoe zit het met, hoe zit het met, hoe zit dat met, hoe staat het met, en wat met, "
        "wat met, en wat als, wat als, en dan, en hoe is, en ook, wat dacht je van, "
        "wat is er met, doe hetzelfde voor, hetzelfde voor, en, of, maar, dan, ook, alleen, "
        "enkel, nu, hetzelfde, idem, ik bedoel"
    ),
    trailing=words("dan ook nog graag alstublieft alsjeblieft aub"),
    else_words=words("anders"),
    other_words=words("andere anderen overige"),
    only_words=words("alleen enkel slechts"),
    also_words=words("ook eveneens tevens"),
    same_words=words("hetzelfde dezelfde"),
    next_words=words("volgend volgende"),
    previous_words=words("vorig vorige"),
    above_words=words("bovenstaande resultaten"),
    ordinals=words("eerste tweede derde vierde laatste"),
    comparators=words("meer minder groter kleiner hoger lager langer korter boven onder voor na"),
    pleonastic=words("mogelijk waar belangrijk moeilijk makkelijk nodig beter waarschijnlijk"),
    pleonastic_after=words("om dat te"),
    impersonal=sequences("gaat het, ging het"),
    impersonal_verbs=words("regent regende sneeuwt sneeuwde"),
    small_talk=words(
        "bedankt dank dankje dankjewel u je wel hallo hoi hey goedemorgen goedemiddag goedenavond"
        " dag doei tot ziens ok oké ja nee prima super top fijn goed mooi leuk geweldig perfect"
        " graag gedaan alvast heel erg veel voor de hulp dat is was alles het dit en een fijne nog"
        " helder duidelijk begrepen klopt inderdaad"
    ),
    closing_words=words("bedankt dank dankje dankjewel doei"),
    reply_words=words("ja nee ok oké oke prima goed bedankt interessant zeker mooi nou"),
    indifference=sequences("maakt niet uit, maakt me niet uit, geen voorkeur"),
    preferring=words("voorkeur wilt wil hebt zoekt"),
    requests=words(
        "toon laat geef vertel noem zoek vind beschrijf leg vergelijk sorteer groepeer tel bereken"
        " filter selecteer lijst som"
    ),
    data_words=words(
        "toon geef noem sorteer groepeer tel totale totaal gemiddelde gemiddeld aantal som hoogste"
        " laagste meeste minste maximum minimum top per elke elk tussen groter kleiner"
        " verkoop verkopen omzet hoeveel welke lijst alle oudste jongste"
    ),
    open_words=words("waarom hoe leg beschrijf vertel over je u ik betekent verschil belangrijk"),
    inverts_verbs=True,
    which_words=words("welke welk wat hoeveel wiens"),
    counting=words("veel zit"),
    ordering=words("sorteer groepeer rangschik gesorteerd gegroepeerd"),
    grouping=words("per"),
    removal_words=words("verwijder zonder negeer"),
    all_words=words("alle elk ieder"),
    aggregates=words(
        "gemiddelde totale totaal som maximum minimum meeste minste hoogste laagste grootste"
        " kleinste langste kortste oudste jongste beste slechtste"
    ),
    opposites=pairs(
        "meeste minste, minste meeste, hoogste laagste, laagste hoogste, grootste kleinste, "
        "kleinste grootste, eerste laatste, laatste eerste, meer minder, minder meer, voor na, "
        "na voor, oplopend aflopend, aflopend oplopend, oudste jongste, jongste oudste, "
        "beste slechtste, slechtste beste"
    ),
    the="de",
    of="van",
    about="over",
    conjunction="en",
    concerning="bij",
    about_words=words(
        "interessants interessante informatie details vertellen weten iets anders meer"
    ),
    place_prepositions=words("in te naar"),
    possess=_possess,
)
