"""What users say is over, without a word of what was known."""

import tomllib
from importlib.resources import files

from recollect.domain.facts.reading.plain import languages
from recollect.domain.facts.reading.plain.events import EventKind, events_in
from recollect.domain.speech.phrases import LANGUAGES
from support.tables import for_each


@for_each("code", LANGUAGES)
def test_every_language_tells_the_same_events(code: str) -> None:
    tables = tomllib.loads(files(languages).joinpath("events.toml").read_text("utf-8"))
    assert tables[code].keys() == tables["en"].keys()


@for_each(
    ("text", "kind", "named", "animal"),
    [
        ("I got fired yesterday.", EventKind.JOB_ENDED, "", ""),
        ("Sadly, I lost my job last week!", EventKind.JOB_ENDED, "", ""),
        ("I quit my job at Philips", EventKind.JOB_ENDED, "philips", ""),
        ("I left Philips last month.", EventKind.JOB_ENDED, "philips", ""),
        ("Ik ben gisteren ontslagen.", EventKind.JOB_ENDED, "", ""),
        ("Ich habe letzte Woche meinen Job verloren.", EventKind.JOB_ENDED, "", ""),
        ("J'ai été licenciée hier.", EventKind.JOB_ENDED, "", ""),
        ("Me han despedido.", EventKind.JOB_ENDED, "", ""),
        ("I resigned.", EventKind.JOB_ENDED, "", ""),
        ("I've resigned from Philips.", EventKind.JOB_ENDED, "philips", ""),
        ("I'm retired now.", EventKind.JOB_ENDED, "", ""),
        ("I'm self-employed now.", EventKind.JOB_ENDED, "", ""),
        ("Nowadays I work for myself.", EventKind.JOB_ENDED, "", ""),
        ("Ik heb ontslag genomen.", EventKind.JOB_ENDED, "", ""),
        ("Gisteren heb ik ontslag genomen.", EventKind.JOB_ENDED, "", ""),
        ("Ik ben weg bij Shell.", EventKind.JOB_ENDED, "shell", ""),
        ("Ik ben bij Shell ontslagen.", EventKind.JOB_ENDED, "shell", ""),
        ("Ik ben met pensioen.", EventKind.JOB_ENDED, "", ""),
        ("Nu ben ik zelfstandige.", EventKind.JOB_ENDED, "", ""),
        ("Ich habe bei Bosch gekündigt.", EventKind.JOB_ENDED, "bosch", ""),
        ("Ich bin jetzt in Rente.", EventKind.JOB_ENDED, "", ""),
        ("Mittlerweile bin ich selbstständig.", EventKind.JOB_ENDED, "", ""),
        ("J'ai démissionné hier.", EventKind.JOB_ENDED, "", ""),
        ("Je suis à la retraite.", EventKind.JOB_ENDED, "", ""),
        ("Je suis désormais à mon compte.", EventKind.JOB_ENDED, "", ""),
        ("He dimitido.", EventKind.JOB_ENDED, "", ""),
        ("Me he jubilado.", EventKind.JOB_ENDED, "", ""),
        ("Ahora soy autónoma.", EventKind.JOB_ENDED, "", ""),
        ("I'm divorced.", EventKind.DIVORCED, "", ""),
        ("Ik ben gescheiden.", EventKind.DIVORCED, "", ""),
        ("Ich bin geschieden.", EventKind.DIVORCED, "", ""),
        ("Je suis divorcée.", EventKind.DIVORCED, "", ""),
        ("Estoy divorciado.", EventKind.DIVORCED, "", ""),
        ("We broke up.", EventKind.PARTED, "", ""),
        ("I broke up with my girlfriend last week.", EventKind.PARTED, "girlfriend", ""),
        ("Het is uit met mijn vriendin.", EventKind.PARTED, "vriendin", ""),
        ("Wir haben uns getrennt.", EventKind.PARTED, "", ""),
        ("On s'est séparés.", EventKind.PARTED, "", ""),
        ("Mi novia y yo hemos roto.", EventKind.PARTED, "novia", ""),
        ("We got divorced last year.", EventKind.DIVORCED, "", ""),
        ("Max is vorige week gestorven.", EventKind.DIED, "max", ""),
        ("My dog Max died.", EventKind.DIED, "max", "dog"),
        ("Mein Hund ist gestern gestorben.", EventKind.DIED, "", "hund"),
        ("Notre chat est mort.", EventKind.DIED, "", "chat"),
        ("Ha muerto mi perro. Max ha muerto.", EventKind.DIED, "max", ""),
        (
            "My dentist appointment is moved to Friday.",
            EventKind.MOVED,
            "my dentist appointment",
            "",
        ),
        (
            "Mijn tandartsafspraak is verzet naar vrijdag.",
            EventKind.MOVED,
            "mijn tandartsafspraak",
            "",
        ),
        (
            "Mein Zahnarzttermin wurde auf Freitag verschoben.",
            EventKind.MOVED,
            "mein zahnarzttermin",
            "",
        ),
        ("Mon cours est reporté à jeudi.", EventKind.MOVED, "mon cours", ""),
        ("La reunión se ha aplazado al lunes.", EventKind.MOVED, "la reunion", ""),
    ],
)
def test_a_sentence_tells_what_is_over(text: str, kind: str, named: str, animal: str) -> None:
    (event,) = events_in(text)
    assert (event.kind, " ".join(event.named), " ".join(event.animal)) == (kind, named, animal)
    assert event.quote in text


@for_each(
    ("text", "partner"),
    [
        ("Tom and I split up.", "tom"),
        ("Last week I broke up with Tom.", "tom"),
        ("Jan en ik zijn uit elkaar.", "jan"),
        ("Het is uit met Jan.", "jan"),
        ("Jan und ich haben uns getrennt.", "jan"),
        ("Paul et moi avons divorcé.", "paul"),
        ("Juan y yo nos hemos separado.", "juan"),
    ],
)
def test_a_partner_may_be_named(text: str, partner: str) -> None:
    (event,) = events_in(text)
    assert (event.kind, " ".join(event.partner)) == (EventKind.PARTED, partner)


@for_each(
    ("text", "is_state"),
    [
        ("I'm retired.", True),
        ("I'm self-employed now.", True),
        ("Ik ben gescheiden.", True),
        ("Me he jubilado.", True),
        ("I resigned.", False),
        ("We broke up.", False),
    ],
)
def test_some_events_say_what_the_user_is_from_then_on(text: str, *, is_state: bool) -> None:
    (event,) = events_in(text)
    assert event.is_state is is_state


@for_each(
    "text",
    [
        "My brother got fired yesterday.",
        "I got fired up about the project.",
        "I quit my job in 2015 to travel.",
        "I got fired?",
        "If I got fired, what should I do?",
        'She wrote: "I got fired yesterday."',
        "Ik ben ontslagen uit het ziekenhuis.",
        "I quit smoking yesterday, at last.",
        "My neighbour Max died last week.",
        "my father died.",
        "the plan died.",
        "We broke up the meeting into parts.",
        "Translate this: I got fired yesterday.",
        "Mein Zahnarzttermin wurde auf Freitag gelegt, glaube ich.",
        "I almost resigned.",
        "I haven't resigned.",
        "I resigned myself to it.",
        "I retire in 2030.",
        "My father is retired.",
        "I'm self-employed.",
        "I'm also self-employed now.",
        "I'm self-employed on the side now.",
        "My sister is self-employed now.",
        "Ik ga volgend jaar met pensioen.",
        "Ben ik met pensioen.",
        "Ik ben ook zelfstandige nu.",
        "Ik ben niet met pensioen.",
        "Mijn ouders zijn gescheiden.",
        "Ich habe mein Abo gekündigt.",
        "Ich gehe bald in Rente.",
        "Meine Eltern sind geschieden.",
        "Je ne suis pas à la retraite.",
        "Mes parents sont divorcés.",
        "No me he jubilado.",
        "Mis padres están divorciados.",
        "Tom and I split up the work.",
        "the plan and i split up.",
        "Jan en Piet zijn uit elkaar.",
        "Wenn ich gekündigt habe, was dann.",
    ],
)
def test_what_says_anything_else_is_no_event(text: str) -> None:
    assert [one for one in events_in(text) if one.kind is not EventKind.DENIED] == []


@for_each(
    ("text", "is_event"),
    [
        ("I stopped working.", True),
        ("I stopped working last year.", True),
        ("I stopped working just now.", False),
        ("I no longer work at Shell now.", True),
        ("Ik werk niet meer.", True),
        ("Ik werk vandaag niet meer.", False),
        ("Vandaag ben ik gestopt met werken.", False),
        ("Ik werk vandaag niet meer bij Shell.", True),
        ("Ich habe heute aufgehört zu arbeiten.", False),
        ("Ich arbeite nicht mehr.", True),
        ("Je ne travaille plus.", True),
        ("Je ne travaille plus aujourd'hui.", False),
        ("Ya no trabajo.", True),
        ("Hoy ya no trabajo.", False),
    ],
)
def test_the_end_of_a_day_of_work_is_not_that_of_a_job(text: str, *, is_event: bool) -> None:
    events = [one for one in events_in(text) if one.kind is not EventKind.DENIED]
    assert bool(events) is is_event
