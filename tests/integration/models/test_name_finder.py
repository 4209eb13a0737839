"""Names of people, found by presidio and spaCy with a pipeline that the tests make."""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.interfaces.cli.doctor.models import check_names
from recollect.models.names import PresidioNames, open_name_finder
from recollect.settings import load_settings

spacy: Any = pytest.importorskip("spacy", reason="needs pip install 'recollect[names]'")
pytest.importorskip("presidio_analyzer", reason="needs pip install 'recollect[names]'")
KEY = "a key of a test, which is long enough"
SENTENCE = "Jan de Vries met Anna in Paris."


def saved(folder: Path, language: str, names: dict[str, str], *, annotates: bool = False) -> str:
    """A pipeline that knows names by their labels, in a folder."""
    nlp = spacy.blank(language)
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns([{"label": label, "pattern": name} for name, label in names.items()])
    if annotates:
        nlp.add_pipe("sentencizer", first=True)
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> str:
    names = {"Jan de Vries": "PERSON", "Anna": "PER", "Paris": "GPE", "Which": "PERSON"}
    return saved(tmp_path_factory.mktemp("en") / "pipeline", "en", names)


@pytest.fixture(scope="module")
def french(tmp_path_factory: pytest.TempPathFactory) -> str:
    names = {"Marie Petit": "PER", "Which": "PER", "Lyon": "LOC"}
    return saved(tmp_path_factory.mktemp("fr") / "pipeline", "fr", names, annotates=True)


@pytest.fixture
async def finder(english: str) -> AsyncIterator[PresidioNames]:
    async with open_name_finder([english]) as opened:
        assert isinstance(opened, PresidioNames)
        yield opened


def found_in(finder: PresidioNames, *texts: str) -> list[list[str]]:
    every = zip(texts, finder.find(texts), strict=True)
    return [sorted({text[start:end] for start, end in spans}) for text, spans in every]


def test_names_of_people_are_found_and_those_of_places_are_not(finder: PresidioNames) -> None:
    assert found_in(finder, SENTENCE, "", "12", "jan de vries") == [
        ["Anna", "Jan de Vries"],
        [],
        [],
        ["jan de vries"],
    ]
    assert finder.languages == ("en",)


def test_labels_that_are_no_people_are_not_logged_for_each_text(
    finder: PresidioNames, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        finder.find([SENTENCE])

    assert caplog.records == []


@pytest.mark.parametrize("padding", [3990, 3995, 4000, 4100, 7995])
def test_a_name_in_a_long_text_is_found_wherever_a_part_ends(
    finder: PresidioNames, padding: int
) -> None:
    text = "x " * (padding // 2) + SENTENCE + " y" * 5000

    (spans,) = finder.find([text])

    assert sorted(text[start:end] for start, end in spans) == ["Anna", "Jan de Vries"]


def test_half_a_million_characters_are_read(finder: PresidioNames) -> None:
    text = (SENTENCE + " ") * 16_000

    (spans,) = finder.find([text])

    assert len(spans) == len({*spans}) == 32_000


def test_many_texts_and_characters_that_cannot_be_encoded_are_read(finder: PresidioNames) -> None:
    texts = [f"{SENTENCE} {number} 👩‍👩‍👧 \ud800" for number in range(200)]

    assert found_in(finder, *texts, *texts) == [["Anna", "Jan de Vries"]] * 400


def test_several_threads_may_ask_at_the_same_time(finder: PresidioNames) -> None:
    with ThreadPoolExecutor(8) as threads:
        texts = [f"{SENTENCE} {number}" for number in range(400)]
        found = list(threads.map(lambda text: found_in(finder, text), texts))

    assert found == [[["Anna", "Jan de Vries"]]] * 400


def test_spacy_remembers_no_word_of_what_was_read(finder: PresidioNames) -> None:
    (pipeline,) = finder._pipelines
    before = len(pipeline.nlp.vocab.strings)

    finder.find([f"secretword{number}" for number in range(500)])

    assert len(pipeline.nlp.vocab.strings) == before


async def test_a_text_is_read_by_the_pipeline_of_its_language_or_by_all(
    english: str, french: str
) -> None:
    async with open_name_finder([french, english]) as finder:
        assert isinstance(finder, PresidioNames)
        assert finder.languages == ("fr", "en")
        known = "Which of the customers did Marie Petit and Anna call on Monday?"
        unknown = "Marie Petit, Anna"
        found = await asyncio.to_thread(found_in, finder, known, unknown)

    assert found == [["Anna", "Which"], ["Anna", "Marie Petit"]]


async def test_a_closed_finder_says_so(english: str) -> None:
    async with open_name_finder([english]) as finder:
        assert finder is not None

    with pytest.raises(ModelUnavailable, match="closed"):
        finder.find([SENTENCE])


async def test_a_pipeline_that_is_not_there_is_not_downloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spacy.cli.download", lambda name: pytest.fail(f"downloads {name}"))

    for name in ("nl_core_news_sm", "json", "./nowhere", "os.path", "blank:en"):
        with pytest.raises(ConfigurationError, match=f"no spaCy pipeline {name}.*downloaded"):
            async with open_name_finder([name]):
                pass


async def test_a_pipeline_that_finds_no_people_or_is_broken_is_refused(
    tmp_path: Path, english: str
) -> None:
    places = saved(tmp_path / "places", "en", {"Paris": "GPE"})
    broken = Path(saved(tmp_path / "broken", "en", {"Jan": "PERSON"}))
    (broken / "config.cfg").write_text("[nlp]\nlang = 5")

    with pytest.raises(ConfigurationError, match="finds no names of people"):
        async with open_name_finder([english, places]):
            pass
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        async with open_name_finder([str(broken)]):
            pass


async def test_the_pipeline_of_a_package_is_loaded_without_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "en_names_of_a_test"
    package.mkdir()
    saved(package / "en_names_of_a_test-1.0.0", "en", {"Jan": "PERSON"})
    (package / "__init__.py").write_text("raise AssertionError('was run')")
    monkeypatch.syspath_prepend(tmp_path)

    for name in ("en_names_of_a_test", "en-names-of-a-test"):
        async with open_name_finder([name]) as finder:
            assert finder is not None
            assert await asyncio.to_thread(finder.find, ["Jan"]) == [[(0, 3)]]


async def test_of_a_network_for_names_nothing_else_is_loaded(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    for component, label in (("tok2vec", None), ("tagger", "NN"), ("ner", "PERSON")):
        pipe = nlp.add_pipe(component)
        if label:
            pipe.add_label(label)
    nlp.initialize()
    nlp.to_disk(tmp_path / "network")

    async with open_name_finder([str(tmp_path / "network")]) as finder:
        assert isinstance(finder, PresidioNames)
        (pipeline,) = finder._pipelines
        spans = await asyncio.to_thread(finder.find, [SENTENCE])

    assert pipeline.nlp.component_names == ["ner"]
    assert len(spans) == 1


async def test_a_memory_masks_the_names_that_the_pipeline_finds(
    shared_home: Path, english: str
) -> None:
    settings = load_settings(home=shared_home, mask_pii="mask", masking_key=KEY, mask_names=english)
    async with Memory.open(settings) as memory:
        session = await memory.session(user="names of a test")
        stored = await session.add("user", SENTENCE)

    assert "Jan" not in stored.content
    assert stored.content.endswith("in Paris.")
    assert stored.content.count("[name:") == 2


async def test_pipelines_on_demand_are_loaded_with_the_first_text_and_not_before(
    tmp_path: Path, english: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    load = spacy.load
    monkeypatch.setattr(
        spacy, "load", lambda at, **more: loaded.append(str(at)) or load(at, **more)
    )
    async with open_name_finder([english], on_demand=True) as finder:
        assert finder is not None
        assert (finder.find(["", "12"]), loaded) == ([[], []], [])
        with ThreadPoolExecutor() as threads:
            results = [*threads.map(finder.find, [[SENTENCE]] * 4)]
        assert loaded == [english]
        assert [len(spans) for (spans,) in results] == [2, 2, 2, 2]
        assert finder.languages == ("en",)
    with pytest.raises(ModelUnavailable, match="closed"):
        finder.find([SENTENCE])
    with pytest.raises(ConfigurationError, match="no spaCy pipeline"):
        async with open_name_finder(["./nowhere"], on_demand=True):
            pass
    places = saved(tmp_path / "places", "en", {"Paris": "GPE"})
    async with open_name_finder([places], on_demand=True) as finder:
        assert finder is not None
        with pytest.raises(ConfigurationError, match="finds no names of people"):
            finder.find([SENTENCE])


async def test_a_memory_that_loads_pipelines_on_demand_masks_what_it_stores(
    shared_home: Path, english: str
) -> None:
    settings = load_settings(home=shared_home, mask_pii="mask", masking_key=KEY, mask_names=english)
    async with Memory.open(settings, names_on_demand=True) as memory:
        session = await memory.session(user="names of a test")
        stored = await session.add("user", SENTENCE)
    assert stored.content.count("[name:") == 2


async def test_the_doctor_reads_a_text_and_tells_if_nothing_is_masked(english: str) -> None:
    given: dict[str, object] = {"masking_key": KEY, "mask_names": english}
    findings = [
        *await asyncio.to_thread(list, check_names(load_settings(mask_pii="mask", **given))),
        *await asyncio.to_thread(list, check_names(load_settings(**given))),
        *await asyncio.to_thread(
            list, check_names(load_settings(masking_key=KEY, mask_names="nl_nothing"))
        ),
    ]

    assert [one.status for one in findings] == ["ok", "warning", "failed"]
    assert "(en) read a text in" in findings[0].found
    assert "MEMORY_MASK_PII is off" in findings[1].advice
