"""What went wrong, in words for people: in their language, by the names in their forms, no ids."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from recollect import errors
from recollect.errors import InvalidInput, RecollectError
from recollect.interfaces.dashboard.languages import Language
from recollect.interfaces.http.errors import described

NO_PAGE: Final = "There is no page at this address."
UNEXPECTED: Final = "This was not expected. The log of the server says more."
SIGNED_OUT: Final = "You are no longer signed in."
STILL_TYPED: Final = "What you typed is still here. Keep a copy of it before you sign in again."
REFUSED: Final = "That did not work"
_TYPED: Final = "Type “{words}” to confirm"
NOT_FOUND: Final = "Not found"
_GONE: Final = "This address is not complete, or leads to something that is gone."
_LATER: Final = "Something that this needs does not answer now. Try again in a moment."
WORDS: Final[Mapping[type[RecollectError], str]] = {
    errors.InvalidId: _GONE,
    errors.InvalidCursor: _GONE,
    errors.SessionNotFound: "There is no such conversation, or it has expired.",
    errors.FactNotFound: "There is no such fact any more.",
    errors.NotFound: _GONE,
    errors.VersionConflict: (
        "It was changed meanwhile, perhaps in another window. "
        "Load the page again before you change it."
    ),
    errors.FactConflict: "Another fact says the same. Change or delete that one.",
    errors.ErasureUnderWay: "This memory is being erased. Nothing is stored until that is done.",
    errors.UserHalted: "No question of this user is answered until the state is changed.",
    errors.DatabaseUnavailable: "The database does not answer now. Try again in a moment.",
    errors.ModelUnavailable: "The model does not answer now. Try again in a moment.",
    errors.Unavailable: _LATER,
}
"""The sentence for each kind of error; the nearest kind counts."""
SETTINGS: Final[Mapping[str, str]] = {
    "retention": "How long conversations are kept",
    "mask_pii": "Masks in place of personal data",
    "store_results": "What is stored of results",
    "archive": "Expired conversations go into the archive",
    "facts": "Facts about users are used",
    "learn_facts": "Facts are learnt from what users say",
    "facts_extractor": "Who finds facts",
    "facts_half_lives": "Days after which an unused fact counts half",
    "facts_prune_below": "Facts that count less are pruned",
}
"""What each setting of a tenant is about."""
FIELDS: Final[Mapping[str, str]] = {
    "content": "Fact",
    "name": "Name",
    "question": "Question",
    "model": "Model",
    "max_tokens": "Most tokens",
    "window": "Window",
    "recall_k": "Most recalled",
    "search": "Search",
    "query": "Search",
    "status": "Status",
    "user": "User",
    **SETTINGS,
}
"""What the pages call the fields that an error may name."""


class NotConfirmedInWords(InvalidInput):
    """Something that cannot be undone, without the words that say it is meant."""

    def __init__(self, words: str) -> None:
        super().__init__("confirmation", f"must be: {words}")
        self.words = words


def worded(error: RecollectError, language: Language) -> tuple[HTTPStatus, str, str]:
    """The status, the heading and the sentence of an error."""
    status, title, detail = described(error)
    words = next((WORDS[kind] for kind in type(error).__mro__ if kind in WORDS), None)
    if isinstance(error, NotConfirmedInWords):
        return status, REFUSED, language.text(_TYPED, words=error.words) + "."
    if words is not None:
        if words is _GONE:
            title = NOT_FOUND
        is_outside = isinstance(error, errors.Unavailable)  # what it is, those who run it can tell
        more = f" {_sentence(detail)}" if is_outside else ""
        return status, language.text(title), language.text(words) + more
    if isinstance(error, errors.Unauthenticated):  # what is wrong with a token, only programs ask
        detail = detail.partition(": ")[0]
    if isinstance(error, InvalidInput):
        name = language.text(FIELDS.get(error.field, error.field))
        return status, REFUSED, f"{name}: {language.sentence(error.problem)}."
    return status, language.text(title), _sentence(language.sentence(detail))


def _sentence(text: str) -> str:
    """A text that begins and ends as a sentence does."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
