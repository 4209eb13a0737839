"""Names of people, found by presidio with spaCy pipelines that the operator has installed.

Nothing is downloaded. presidio would fetch a pipeline that is missing; it is only ever given those
that were found and loaded here.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from secrets import token_bytes
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from recollect.domain.followup.language import known_language
from recollect.domain.followup.languages import installed
from recollect.domain.privacy.names import Span
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.extras import require
from recollect.ports.privacy.names import NameFinder

if TYPE_CHECKING:
    from presidio_analyzer import BatchAnalyzerEngine
    from spacy.language import Language

SETTING: Final = "MEMORY_MASK_NAMES"
_PERSON: Final = "PERSON"
"""presidio's own label."""
_PERSON_LABELS: Final = frozenset({_PERSON, "PER", "PRS", "PS", "persName", "PATIENT", "STAFF"})
"""What pipelines call a name of a person, by what they were trained on."""
_READ_NAMES: Final = frozenset({"ner", "beam_ner", "tok2vec", "transformer"})
_NOT_FOR_NAMES: Final = frozenset(
    {"attribute_ruler", "lemmatizer", "morphologizer", "parser", "senter", "sentencizer", "tagger"}
)
"""Components that take most of the time, and that a network which finds names does not need."""
_AT_ONCE: Final = 4000
"""Characters that are read at once: 0.15 s, after which another text has its turn."""
_TEXTS_AT_ONCE: Final = 64
_CONTEXT: Final = 200
"""Characters around a part that are read with it: a name may begin in one and end in the next."""
_REMEMBERED: Final = 4096
"""Parts whose names are remembered: a turn asks for those of its question several times."""
_WORD: Final = re.compile(r"\b[^\W\d_]{2,}\b")
"""What a text with a name has, and ids and times have not."""
_CLOSED: Final = "what finds names of people was closed"
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


class _Part(NamedTuple):
    """A part of a text that is read at once, and where it begins in the text."""

    text_index: int
    shift: int
    start: int
    """From where on names are of this part; those before are of the part before."""
    end: int
    read: str

    def own(self, spans: Sequence[Span]) -> Iterator[Span]:
        """The names of this part, as they stand in the text, of those in what was read."""
        for start, end in spans:
            if self.start <= start + self.shift < self.end:
                yield start + self.shift, end + self.shift


@asynccontextmanager
async def open_name_finder(
    pipelines: Sequence[str], *, on_demand: bool = False
) -> AsyncIterator[NameFinder | None]:
    """What finds names with the pipelines, packages or folders; None if there are none.

    `on_demand` loads them when the first text is read, which may raise the same error.

    Raises:
        ConfigurationError: one is not installed or finds no names, and what to do about it.
    """
    if not pipelines:
        yield None
        return
    for package in ("presidio_analyzer", "spacy"):
        require(package, SETTING)
    finder = NamesOnDemand(pipelines) if on_demand else await asyncio.to_thread(_loaded, pipelines)
    try:
        yield finder
    finally:
        await asyncio.to_thread(finder.close)


class PresidioNames:
    """A `NameFinder` on a thread of its own, as spaCy does not promise that several may read.

    Long texts are read in parts, and who asks for a short one waits for a part and not for a text.
    A text whose language is certain is read by its pipelines, others by all of them.
    """

    def __init__(self, pipelines: "Sequence[NamePipeline]") -> None:
        self._pipelines = pipelines
        self._has_choice = len({one.language for one in pipelines}) > 1
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="names")
        self._remembered = _RememberedSpans()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pipelines."""
        return tuple(dict.fromkeys(one.language for one in self._pipelines))

    def close(self) -> None:
        """End the thread; nothing can be read any more."""
        self._thread.shutdown(cancel_futures=True)

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where names stand in each text."""
        found: list[list[Span]] = [[] for _ in texts]
        unread: list[_Part] = []
        for part in (part for at, text in enumerate(texts) for part in _parts(text, at)):
            spans = self._remembered.of(part.read)
            if spans is None:
                unread.append(part)
            else:
                found[part.text_index] += part.own(spans)
        for batch in _batches(unread):
            for part, spans in zip(batch, self._wait_for(batch), strict=True):
                found[part.text_index] += part.own(spans)
        return found

    def _wait_for(self, batch: Sequence[_Part]) -> list[Sequence[Span]]:
        try:
            work = self._thread.submit(self._read, [part.read for part in batch])
        except RuntimeError:
            raise ModelUnavailable(_CLOSED) from None
        try:
            return work.result()
        except CancelledError:
            raise ModelUnavailable(_CLOSED) from None

    def _read(self, texts: Sequence[str]) -> list[Sequence[Span]]:
        """Read texts in the thread; what was read while they waited is not read again."""
        found = {text: self._remembered.of(text) for text in texts}
        unread = [text for text, spans in found.items() if spans is None]
        spans: dict[str, list[Span]] = {text: [] for text in unread}
        chosen = {text: self._pipelines_for(text) for text in unread}
        for pipeline in self._pipelines:
            its = [text for text in unread if pipeline in chosen[text]]
            for text, names in zip(its, pipeline.read(its), strict=True):
                spans[text] += names
        for text in unread:
            self._remembered.keep(text, spans[text])
        return [spans[text] if (known := found[text]) is None else known for text in texts]

    def _pipelines_for(self, text: str) -> "Sequence[NamePipeline]":
        language = known_language(text) if self._has_choice else None
        if language is None or language not in self.languages:
            return self._pipelines
        # A text in Italian is taken for Spanish, if certainly: only known languages are compared.
        return [one for one in self._pipelines if one.language not in {*installed()} - {language}]


class NamesOnDemand:
    """A `NameFinder` that loads its pipelines, which takes seconds, with the first text."""

    def __init__(self, pipelines: Sequence[str]) -> None:
        """`ConfigurationError` if one is not there; whether it can be loaded shows later."""
        for pipeline in pipelines:
            _folder_of(pipeline)
        self._pipelines = pipelines
        self._loading = Lock()
        self._finder: PresidioNames | None = None
        self._is_closed = False

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pipelines."""
        return self._get().languages

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where names stand in each text."""
        if not any(map(_WORD.search, texts)):
            return [[] for _ in texts]
        return self._get().find(texts)

    def close(self) -> None:
        """End what was loaded; nothing can be read any more."""
        with self._loading:
            self._is_closed = True
            if self._finder is not None:
                self._finder.close()

    def _get(self) -> PresidioNames:
        with self._loading:
            if self._is_closed:
                raise ModelUnavailable(_CLOSED)
            if self._finder is None:
                self._finder = _loaded(self._pipelines)
            return self._finder


@dataclass(frozen=True, slots=True, eq=False)
class NamePipeline:
    """A loaded pipeline of spaCy in presidio's analyzer; not for several threads at once."""

    language: str
    nlp: "Language"
    analyzer: "BatchAnalyzerEngine"

    def read(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where names stand in each text.

        spaCy remembers every new word until the end of a zone, without one for ever.
        """
        if not texts:
            return []
        with self.nlp.memory_zone():
            results = self.analyzer.analyze_iterator(
                texts, language=self.language, batch_size=len(texts), entities=[_PERSON]
            )
            return [[(int(one.start), int(one.end)) for one in found] for found in results]


class _RememberedSpans:
    """The names of what was read last, by a keyed hash: no text is kept.

    One thread writes; `dict` is safe for others to read meanwhile.
    """

    def __init__(self) -> None:
        self._key = token_bytes(32)
        self._spans: dict[bytes, Sequence[Span]] = {}

    def of(self, text: str) -> Sequence[Span] | None:
        """The names of a text; None if it has to be read."""
        return self._spans.get(self._digest(text)) if _WORD.search(text) else ()

    def keep(self, text: str, spans: Sequence[Span]) -> None:
        """Remember the names of a text, in the place of the oldest ones."""
        while len(self._spans) >= _REMEMBERED:
            del self._spans[next(iter(self._spans))]
        self._spans[self._digest(text)] = tuple(spans)

    def _digest(self, text: str) -> bytes:
        return blake2b(text.encode(), key=self._key, digest_size=16).digest()


def _parts(text: str, text_index: int) -> Iterator[_Part]:
    for start in range(0, len(text), _AT_ONCE):
        end = start + _AT_ONCE
        shift = max(0, start - _CONTEXT)
        read = text[shift : end + _CONTEXT]
        if not read.isascii():
            read = _SURROGATES.sub("?", read)  # which cannot be encoded
        yield _Part(text_index, shift, start, end, read)


def _batches(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts in batches of about as many characters as are read at once."""
    batch: list[_Part] = []
    characters = 0
    for part in parts:
        if batch and (characters + len(part.read) > _AT_ONCE or len(batch) == _TEXTS_AT_ONCE):
            yield batch
            batch, characters = [], 0
        batch.append(part)
        characters += len(part.read)
    if batch:
        yield batch


def _loaded(pipelines: Sequence[str]) -> PresidioNames:
    return PresidioNames([_load(one) for one in pipelines])


def _load(pipeline: str) -> NamePipeline:
    import spacy  # noqa: PLC0415  # an extra, and it takes seconds

    folder = _folder_of(pipeline)
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
        nlp = spacy.load(folder, exclude=_not_needed(meta["components"]))
    except Exception as error:
        raise ConfigurationError(
            f"{SETTING}: the spaCy pipeline {pipeline} cannot be loaded: {error}"
        ) from error
    for name, component in [*nlp.pipeline]:
        if name == "tok2vec" and not getattr(component, "listening_components", True):
            nlp.remove_pipe(name)  # what finds names has a network of its own
    return _analyzing(nlp, pipeline)


def _folder_of(pipeline: str) -> Path:
    """The folder of a pipeline: in a package, whose code is not run, or as it is named."""
    folder = Path(pipeline).expanduser()
    if (folder / "meta.json").is_file() and (folder / "config.cfg").is_file():
        return folder
    module = pipeline.replace("-", "_")
    spec = find_spec(module) if module.isidentifier() else None
    for place in (spec and spec.submodule_search_locations) or ():
        for config in sorted(Path(place).glob("*/config.cfg")):
            return config.parent
    raise ConfigurationError(
        f"{SETTING}: there is no spaCy pipeline {pipeline}: install its package beside Recollect "
        "or name its folder, which has a config.cfg; nothing is downloaded"
    )


def _not_needed(components: Sequence[str]) -> list[str]:
    """The components that finding names does not need; rules of others may need any."""
    has_rules = {*components} - _READ_NAMES - _NOT_FOR_NAMES
    return [] if has_rules else [name for name in components if name in _NOT_FOR_NAMES]


def _analyzing(nlp: "Language", pipeline: str) -> NamePipeline:
    """The pipeline in presidio's analyzer, which has no other recogniser."""
    from presidio_analyzer import (  # noqa: PLC0415  # an extra
        AnalyzerEngine,
        BatchAnalyzerEngine,
        RecognizerRegistry,
    )
    from presidio_analyzer.nlp_engine import (  # noqa: PLC0415
        NerModelConfiguration,
        SpacyNlpEngine,
    )
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer  # noqa: PLC0415

    labels = {label for its in nlp.pipe_labels.values() for label in its}
    if not labels & _PERSON_LABELS:
        raise ConfigurationError(
            f"{SETTING}: the spaCy pipeline {pipeline} finds no names of people: none of its "
            f"labels is one of {', '.join(sorted(_PERSON_LABELS))}"
        )
    language = str(nlp.meta["lang"])
    engine: Any = SpacyNlpEngine(  # which declares that it never has a pipeline
        models=[{"lang_code": language, "model_name": pipeline}],
        ner_model_configuration=NerModelConfiguration(
            labels_to_ignore=sorted(labels - _PERSON_LABELS),
            model_to_presidio_entity_mapping=dict.fromkeys(_PERSON_LABELS, _PERSON),
        ),
    )
    engine.nlp = {language: nlp}  # so that it loads none itself
    recognizer = SpacyRecognizer(supported_language=language, supported_entities=[_PERSON])
    analyzer = AnalyzerEngine(
        registry=RecognizerRegistry([recognizer], supported_languages=[language]),
        nlp_engine=engine,
        supported_languages=[language],
    )
    return NamePipeline(language=language, nlp=nlp, analyzer=BatchAnalyzerEngine(analyzer))
