"""How five languages name times; all words without accents, as `fold` leaves them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_DAY, _WEEK, _MONTH, _YEAR = 1, 7, 30, 365
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DateWords:
    """The words of one language for times, and the patterns made of them."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    """Words for single days, and how many days ago those were."""
    units: Mapping[str, int]
    """Words for spans of time, and how many days those have."""
    numbers: Mapping[str, int]
    in_month: str
    """What stands before a month that is named alone: a pattern."""
    of: str
    """What may stand between a day and its month: a pattern."""
    last_before: str = r"(?!)"
    last_after: str = r"(?!)"
    this_before: str
    ago_before: str = ""
    ago_after: str = ""
    asks: re.Pattern[str]
    """What a question begins with that asks for a time."""
    tells: frozenset[str]
    """Words of texts that tell a time, in lower case, accents and all."""
    me: frozenset[str]
    """Words for the one who asks."""

    naming: frozenset[str] = field(init=False)
    """A text with none of these words and no digit names no time."""
    day_and_month: re.Pattern[str] = field(init=False)
    day_names: re.Pattern[str] = field(init=False)
    weekdays_named: re.Pattern[str] = field(init=False)
    ago: re.Pattern[str] = field(init=False)
    last: re.Pattern[str] = field(init=False)
    this: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Make the patterns, all of which want one of the words that name times, or a year."""
        names = (*self.months, *self.weekdays, *self.days, *self.units)
        object.__setattr__(self, "naming", frozenset(_WORD.findall(" ".join(names))))
        month, unit = _any(self.months), _any(self.units)
        day, year = r"(?:3[01]|[12]\d|0?[1-9])", r"(?:19|20)\d\d"
        number = rf"(?P<number>\d{{1,4}}|{_any(self.numbers)})"
        patterns = {
            "day_and_month": (
                rf"\b(?:(?P<day>{day})(?:st|nd|rd|th|er|\.|e|de)?\s+(?:{self.of})?(?P<month>{month})"
                rf"|(?P<month2>{month})\.?\s+(?P<day2>{day})(?:st|nd|rd|th)?(?![\d:])"
                rf"|(?:(?:{self.in_month})\s+(?=(?:{month})\b)|(?=(?:{month})\.?,?\s+{year}))"
                rf"(?P<bare>{month}))\b\.?,?(?:\s*(?:{self.of})?(?P<year>{year})\b)?"
            ),
            "day_names": rf"\b(?:{_any(self.days)})\b",
            "weekdays_named": rf"\b(?P<weekday>{_any(self.weekdays)})\b",
            "ago": rf"\b{self.ago_before}{number}\s+(?P<unit>{unit})\b{self.ago_after}",
            "last": (
                rf"\b(?:(?:{self.last_before})\s+(?P<unit>{unit})"
                rf"|(?P<unit2>{unit})\s+(?:{self.last_after}))\b"
            ),
            "this": rf"\b(?:{self.this_before})\s+(?P<unit>{unit})\b",
        }
        for name, pattern in patterns.items():
            object.__setattr__(self, name, re.compile(pattern))


def _any(words: Mapping[str, int]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _numbered(*groups: str, start: int) -> dict[str, int]:
    """Number the words of each group alike: full names in one, short ones in the next."""
    return {
        word: number
        for group in groups
        for number, word in enumerate(group.split(), start=start)
        if word != "-"
    }


def _sized(days: str, weeks: str, months: str, years: str) -> dict[str, int]:
    sizes = {_DAY: days, _WEEK: weeks, _MONTH: months, _YEAR: years}
    return {word: size for size, words in sizes.items() for word in words.split()}


def _starts(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\W*+(?:{'|'.join(phrases)})\b")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def time_words(language: str) -> frozenset[str]:
    """Words, in lower case, one of which is in most texts that tell a time."""
    return DATES.get(language, DATES["en"]).tells | _DATED


_DATED: Final = frozenset(
    [str(year) for year in range(1950, 2051)]
    + [f"{day}{ending}" for day in range(1, 32) for ending in ("st", "nd", "rd", "th")]
)

DATES: Final[Mapping[str, DateWords]] = {
    "en": DateWords(
        months=_numbered(
            "january february march april may june july august september october november december",
            "jan feb mar apr - jun jul aug sep oct nov dec",
            "- - - - - - - - sept - - -",
            start=1,
        ),
        weekdays=_numbered("monday tuesday wednesday thursday friday saturday sunday", start=0),
        days={"today": 0, "tonight": 0, "this morning": 0, "yesterday": 1, "last night": 1},
        units=_sized("day days", "week weeks weekend weekends", "month months", "year years"),
        numbers=_numbered("one two three four five six seven eight nine ten", "a", "an", start=1),
        in_month="in|of|for|during|since|until|by|from|last|this|early|late|mid|around|before|after",
        of="of ",
        last_before="last|past|previous",
        this_before="this",
        ago_after=r"\s+ago\b",
        asks=_starts(
            "when",
            "how long",
            "since when",
            "(?:in|on|at|during)?\\s*(?:what|which) (?:year|month|week|day|date|time|season)",
        ),
        tells=_words(
            "yesterday today tonight tomorrow last next ago week weeks weekend weekends month "
            "months year years day days morning evening night monday mondays tuesday tuesdays "
            "wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday "
            "sundays january february march april may june july august september october november "
            "december recently soon since tues thurs"
        ),
        me=frozenset(["i", "my", "me", "mine", "myself"]),
    ),
    "nl": DateWords(
        months=_numbered(
            "januari februari maart april mei juni juli augustus september oktober november "
            "december",
            "jan feb mrt apr - jun jul aug sep okt nov dec",
            start=1,
        ),
        weekdays=_numbered("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", start=0),
        days={"vandaag": 0, "vanavond": 0, "vanochtend": 0, "gisteren": 1, "eergisteren": 2},
        units=_sized("dag dagen", "week weken weekend weekends", "maand maanden", "jaar jaren"),
        numbers=_numbered("een twee drie vier vijf zes zeven acht negen tien", start=1),
        in_month="in|van|uit|tijdens|sinds|tot|vanaf|afgelopen|vorige|begin|eind|half|rond|voor|na",
        of="van ",
        last_before="vorige?|afgelopen|laatste",
        this_before="deze|dit",
        ago_after=r"\s+geleden\b",
        asks=_starts(
            "wanneer", "hoe lang", "hoelang", "sinds wanneer", "(?:in|op) welke? \\w+", "welke? dag"
        ),
        tells=_words(
            "gisteren eergisteren vandaag vanavond vanochtend morgen vorig vorige volgend "
            "volgende afgelopen geleden week weken weekend maand maanden jaar jaren dag dagen "
            "ochtend avond nacht maandag dinsdag woensdag donderdag vrijdag zaterdag zondag "
            "januari februari maart april mei juni juli augustus september oktober november "
            "december onlangs binnenkort sinds"
        ),
        me=frozenset(["ik", "mijn", "mij", "me", "mezelf"]),
    ),
    "de": DateWords(
        months=_numbered(
            "januar februar marz april mai juni juli august september oktober november dezember",
            "jan feb mrz apr - jun jul aug sep okt nov dez",
            start=1,
        ),
        weekdays=_numbered("montag dienstag mittwoch donnerstag freitag samstag sonntag", start=0),
        days={"heute": 0, "gestern": 1, "vorgestern": 2},
        units=_sized(
            "tag tage tagen",
            "woche wochen wochenende",
            "monat monate monaten monats",
            "jahr jahre jahren jahres",
        ),
        numbers=_numbered(
            "ein zwei drei vier funf sechs sieben acht neun zehn", "einem", "einer", start=1
        ),
        in_month="im|vom|seit|bis|ab|letzten|vergangenen|diesen|anfang|ende|mitte|um|vor|nach",
        of="(?!)",
        last_before="letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?",
        this_before="diese[nmrs]?",
        ago_before=r"vor\s+",
        asks=_starts(
            "wann",
            "wie lange",
            "seit wann",
            "(?:in|an|im)? ?welche[nmrs]? (?:jahr|monat|woche|tag|datum)",
        ),
        tells=_words(
            "gestern vorgestern heute morgen letzte letztes letzter letztem letzten vorige "
            "voriges voriger vorigem vorigen nächste nächstes nächster nächstem nächsten vor "
            "woche wochen wochenende monat monatn monate monaten jahr jahrn jahre jahren tag tagn "
            "tage tagen abend nacht montag dienstag mittwoch donnerstag freitag samstag sonntag "
            "januar februar märz april mai juni juli august september oktober november dezember "
            "kürzlich neulich bald seit"
        ),
        me=frozenset(
            ["ich", "mein", "meine", "meinen", "meinem", "meiner", "meines", "mir", "mich"]
        ),
    ),
    "fr": DateWords(
        months=_numbered(
            "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
            "janv fevr - avr - - juil - - oct nov dec",
            start=1,
        ),
        weekdays=_numbered("lundi mardi mercredi jeudi vendredi samedi dimanche", start=0),
        days={"aujourd'hui": 0, "aujourd\u2019hui": 0, "hier": 1, "avant-hier": 2},
        units=_sized(
            "jour jours", "semaine semaines week-end week-ends", "mois", "an ans annee annees"
        ),
        numbers=_numbered("un deux trois quatre cinq six sept huit neuf dix", "une", start=1),
        in_month="en|de|depuis|pendant|debut|fin|mi|vers|avant|apres|jusqu'en|mois de",
        of="de ",
        last_after="derniere?s?|passee?s?|precedente?s?",
        this_before="cette|cet|ce",
        ago_before=r"il\s+y\s+a\s+",
        asks=_starts(
            "quand",
            "combien de temps",
            "depuis quand",
            "(?:a|en|de)? ?quel(?:le)? (?:jour|mois|annee|date|semaine|moment)",
        ),
        tells=_words(
            "hier avant-hier aujourd'hui demain dernièr dernière prochain prochaine semaine "
            "semaines week-end mois année années an ans jour jours matin soir nuit lundi mardi "
            "mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet "
            "août septembre octobre novembre décembre récemment bientôt depuis"
        ),
        me=frozenset(["je", "j", "mon", "ma", "mes", "moi", "me"]),
    ),
    "es": DateWords(
        months=_numbered(
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
            "diciembre",
            "ene feb - abr - jun jul - sept oct nov dic",
            start=1,
        ),
        weekdays=_numbered("lunes martes miercoles jueves viernes sabado domingo", start=0),
        days={"hoy": 0, "anoche": 1, "ayer": 1, "anteayer": 2},
        units=_sized("dia dias", "semana semanas", "mes meses", "ano anos"),
        numbers=_numbered("un dos tres cuatro cinco seis siete ocho nueve diez", "una", start=1),
        in_month="en|de|desde|durante|hasta|principios|finales|mediados|antes|despues",
        of="de |del ",
        last_before="pasad[oa]|ultim[oa]",
        last_after="pasad[oa]s?|anterior(?:es)?",
        this_before="esta|este",
        ago_before=r"hace\s+",
        asks=_starts(
            "cuando",
            "cuanto tiempo",
            "desde cuando",
            "(?:en|a)? ?que (?:dia|mes|ano|fecha|semana|momento)",
        ),
        tells=_words(
            "ayer anteayer anoche hoy mañana pasada pasado próxima próximo hace semana semanas "
            "mes meses año años día días noche tarde lunes martes miércoles jueves viernes sábado "
            "domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre "
            "noviembre diciembre recientemente pronto desde"
        ),
        me=frozenset(["yo", "mi", "mis", "me", "mio", "mia"]),
    ),
}
