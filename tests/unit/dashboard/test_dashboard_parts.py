"""What pages are made of: cookies, texts, charts, tables and coloured SQL."""

import time
from datetime import date
from html.parser import HTMLParser
from itertools import chain
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import nodes

from recollect import errors
from recollect.domain.conversation.message import Role
from recollect.domain.facts.fact import ChangeKind, FactStatus, FactType, Priority
from recollect.domain.facts.query import FactSort, StatusChoice
from recollect.domain.followup.dialogue import Method
from recollect.domain.identity.accounts import KeyScope
from recollect.errors import InvalidInput
from recollect.interfaces.dashboard import charts, problems, server_figures
from recollect.interfaces.dashboard.cookies import CookieCodec, Visit
from recollect.interfaces.dashboard.languages import SPOKEN, load_languages
from recollect.interfaces.dashboard.pages import memory, privacy
from recollect.interfaces.dashboard.pages.keys import KeyProblem
from recollect.interfaces.dashboard.pages.result_tables import table_of
from recollect.interfaces.dashboard.rendering import make_environment
from recollect.interfaces.dashboard.sql_highlighting import highlighted
from recollect.interfaces.dashboard.visitors import version_of
from recollect.interfaces.http.routes.health import DatabaseState
from recollect.interfaces.worker import WorkerState
from recollect.services import access, profiles
from recollect.services.chat import chat, degradation
from recollect.services.context import contexts
from recollect.services.facts import known
from recollect.services.recall import recall
from recollect.system import DiskState
from support.tables import for_each

_NAMES = (
    *(FactType, Priority, FactStatus, StatusChoice, FactSort, ChangeKind, Role, Method),
    *(KeyScope, KeyProblem, DatabaseState, WorkerState, DiskState),
)


def _codec(key: bytes = b"k" * 32) -> CookieCodec:
    return CookieCodec(key, idle_seconds=600)


def test_a_visit_is_read_back_from_its_cookie_and_by_no_other_key() -> None:
    visit = Visit(authorization="Bearer rec_secret", user="piet")
    text = _codec().write(visit)
    assert _codec().read(text) == visit
    assert "secret" not in text
    assert _codec(b"o" * 32).read(text) is None
    assert _codec().read("nonsense") is None
    with pytest.raises(InvalidInput):
        _codec().write(Visit(authorization="x" * 5_000))


def test_a_visit_ends_when_it_is_idle_and_after_twelve_hours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = time.time()
    visit = Visit()
    text = _codec().write(visit)
    monkeypatch.setattr(time, "time", lambda: start + 590)
    assert _codec().read(text) == visit
    monkeypatch.setattr(time, "time", lambda: start + 700)
    assert _codec().read(text) is None
    monkeypatch.setattr(time, "time", lambda: start + 12 * 3600 + 60)
    assert _codec().read(_codec().write(visit)) is None, "it was used all the time"


def test_all_texts_of_the_templates_are_in_every_language() -> None:
    environment = make_environment()
    used = set()
    for name in environment.list_templates():
        source, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
        for call in environment.parse(source).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in {"t", "n"}:
                texts = chain.from_iterable(one.find_all(nodes.Const) for one in call.args)
                own = (one for one in call.args if isinstance(one, nodes.Const))
                used |= {one.value for one in (*texts, *own) if isinstance(one.value, str)}
    used |= {str(member) for names in _NAMES for member in names}  # type: ignore[attr-defined]
    used |= {memory.CONFIRMATION, privacy.CONFIRMATION, *SPOKEN.values()}
    used |= {*problems.WORDS.values(), *problems.FIELDS.values(), problems.NO_PAGE}
    used |= {problems.UNEXPECTED, problems.SIGNED_OUT, problems.STILL_TYPED, problems.REFUSED}
    used |= {name for name, _ in charts.token_parts(charts.Tokens())}
    for names in (server_figures.STAGES, server_figures.QUEUES, server_figures.CLEANED):
        used |= set(names.values())  # type: ignore[attr-defined]
    for code, language in load_languages().known.items():
        missing = used - language.texts.keys() if code != "en" else set()
        assert missing == set()


def test_no_name_of_a_program_is_shown_to_people() -> None:
    english = load_languages().known["en"]
    shown = [english.text(str(member)) for names in _NAMES for member in names]  # type: ignore[attr-defined]
    assert [text for text in shown if "_" in text] == []
    assert english.text(FactStatus.RETRACTED.value) == "deleted"


@for_each(
    ("english", "dutch"),
    [
        ('"it" stands for "the 5 boundaries"', '"it" staat voor "the 5 boundaries"'),
        ("is longer than 1,000 characters", "is langer dan 1,000 tekens"),
        ("must lie between 0 and 100", "moet tussen 0 en 100 liggen"),
        ("must be one of: active, any", "moet een van deze zijn: active, any"),
        ('something that nobody {translated} "yet"', 'something that nobody {translated} "yet"'),
    ],
)
def test_a_sentence_of_a_service_keeps_its_names_and_numbers(english: str, dutch: str) -> None:
    languages = load_languages().known
    assert languages["nl"].sentence(english) == dutch
    assert languages["en"].sentence(english) == english


@for_each(
    "warning",
    [
        *(recall.OFF, recall.NO_INDEX, recall.NO_EMBEDDER, recall.VECTORS_FAILED, recall.FAILED),
        *(known.FACTS_FAILED, access.UNAVAILABLE, access.UNKNOWN_KEY, contexts.HURRIED),
        *(profiles.PROFILE_FAILED, chat.REPLAYED, degradation.NO_MEMORY, degradation.TOO_LONG),
        *(degradation.SWITCHED_OFF, degradation.NOT_STORED, degradation.REPLY_NOT_STORED),
        degradation.SESSION_GONE,
    ],
)
def test_every_warning_is_in_every_language(warning: str) -> None:
    assert load_languages().known["nl"].sentence(warning) != warning


def test_what_went_wrong_is_told_in_words_of_the_reader_and_without_ids() -> None:
    english, dutch = (load_languages().known[code] for code in ("en", "nl"))
    fact_id = uuid4()
    for error, told in (
        (errors.FactConflict(fact_id), "Een ander feit zegt hetzelfde. Wijzig of verwijder dat."),
        (errors.SessionNotFound(fact_id), "Dit gesprek bestaat niet, of het is verlopen."),
        (InvalidInput("content", "must not be blank"), "Feit: mag niet leeg zijn."),
        (problems.NotConfirmedInWords("wis alles uit"), "Typ “wis alles uit” om te bevestigen."),
        (errors.Forbidden("only an admin key may do this"), "Alleen een beheersleutel mag dit."),
    ):
        assert problems.worded(error, dutch)[2] == told
        assert str(fact_id) not in problems.worded(error, english)[2]
    _, title, detail = problems.worded(errors.ModelUnavailable("it answered with 500"), english)
    assert title == "Service Unavailable"
    assert detail == (
        "The model does not answer now. Try again in a moment. It answered with 500."
    ), "those who run the server can tell what it is"


def test_the_language_is_chosen_by_the_visitor_or_else_by_the_browser() -> None:
    languages = load_languages()
    assert languages.choose(None, "nl-BE,nl;q=0.9,en;q=0.8").code == "nl"
    assert languages.choose(None, "fr,de").code == "en"
    assert languages.choose("en", "nl").code == "en"
    assert languages.known["nl"].number(1234567.5, digits=1) == "1.234.567,5"
    assert languages.known["nl"].count(2, "1 fact", "{n} facts") == "2 feiten"


class _Text(HTMLParser):
    """The text of some HTML, as a browser shows it, and the elements in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(alphabet="SELECT 'a\"<>&;-/*\n1", max_size=80))
def test_coloured_sql_shows_every_character_and_nothing_else(sql: str) -> None:
    shown = _Text(str(highlighted(sql)))
    assert shown.text == sql
    assert shown.tags <= {"span"}


def test_keywords_texts_and_comments_of_sql_are_coloured() -> None:
    html = highlighted("select 'x' -- why")
    assert '<span class="sql-keyword">select</span>' in html
    assert '<span class="sql-text">&#39;x&#39;</span>' in html
    assert '<span class="sql-comment">-- why</span>' in html


def test_results_of_queries_are_tables_whatever_their_form() -> None:
    rows = [{"region": "Utrecht", "revenue": 3}, {"region": "Gelderland"}]
    for result in (rows, {"columns": ["region"], "row_count": 2, "rows": rows}):
        table = table_of(result)  # type: ignore[arg-type]
        assert table is not None
        assert table.columns == ("region", "revenue")
        assert table.rows == (("Utrecht", "3"), ("Gelderland", ""))
        assert table.left_out == 0
    summary = table_of({"columns": ["region"], "row_count": 2})
    assert summary is not None
    assert (summary.columns, summary.rows, summary.left_out) == (("region",), (), 2)
    some = table_of({"columns": ["region"], "row_count": 9, "rows": [{"region": "Utrecht"}]})
    assert some is not None
    assert (some.columns, some.rows, some.left_out) == (("region",), (("Utrecht",),), 8)
    lines = table_of({"columns": [], "row_count": 2, "rows": ["a", "b"]})
    assert lines is not None
    assert (lines.columns, lines.rows, lines.left_out) == ((), (("a",), ("b",)), 0)
    assert table_of(None) is None
    assert table_of([{"n": 1, "m": True, "t": "1", "e": None}, {"n": 2.5}]).numbers == {0}  # type: ignore[union-attr]
    long = table_of([{"a": number} for number in range(80)])
    assert long is not None
    assert (len(long.rows), long.left_out) == (50, 30)


def test_charts_have_days_without_anything_and_bars_within_their_frame() -> None:
    today = date(2026, 11, 17)
    days = charts.by_day({date(2026, 11, 16): 4, date(2026, 1, 1): 9}, last=today, days=3)
    assert days == [("2026-11-15", 0), ("2026-11-16", 4), ("2026-11-17", 0)]
    bars = charts.columns(days)
    assert [bar.height for bar in bars] == [0, charts.HEIGHT, 0]
    weeks = charts.weeks({"2026-11-16": 2}, last=today, number=2)
    assert weeks == [("2026-11-09", 0), ("2026-11-16", 2)]
    shares = charts.shares([("a", 1), ("b", 3)])
    assert [bar.width for bar in shares] == [150, 450]
    assert charts.shares([("a", 0)])[0].width == 0
    assert charts.percent(5, 0) == 0


@for_each("text", ["", "x", "-1", "\u0664", "9" * 5_000])
def test_a_version_that_is_no_number_is_refused_and_never_means_any(text: str) -> None:
    with pytest.raises(InvalidInput, match="version must be a number"):
        version_of({"version": text})
    assert (version_of({"version": "7"}), version_of({})) == (7, None)
