"""Whether what a language model wrote can serve as a summary."""

import re
from collections.abc import Callable
from typing import Final

from recollect.domain.summary.extractive import cut_to_fit
from recollect.domain.summary.language import guess_language
from recollect.domain.summary.prompting import SummaryPrompt
from recollect.domain.summary.sentences import split_sentences

_LABEL: Final = re.compile(
    r"\A(?:#+\s*)?\**(?:here(?:'s| is) (?:a|the) )?(?:summary|samenvatting)[^\n:]{0,40}:\**\s*",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_REFUSAL: Final = re.compile(
    r"(?:i'm sorry|i am sorry|sorry|i apologi[sz]e|unfortunately)\b.{0,40}\b"
    r"(?:can't|cannot|unable)\b"
    r"|(?:i can't|i cannot|i'm unable|i am unable|as an ai)\b"
    r"|(?:het spijt me|sorry|helaas)\b.{0,40}\bkan\b|ik kan (?:dat |dit |u |je )?(?:niet|geen)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAG: Final = re.compile(r"</?(?:conversation|earlier)>")
_SENTENCE_END: Final = re.compile(r"(?<!\n\d)(?<!\n\d\d)[.!?](?=\s|$)|\n")  # not a list's '10.'
_FIGURE: Final = re.compile(r"\d[\d.,'\u00a0\u202f]*\d")
_EXACT_DIGITS: Final = 5
_ECHOED: Final = 0.8
_FEW_LINES: Final = 3
_REPEATED: Final = 0.5
_MANY_SENTENCES: Final = 6


def summary_from_answer(
    answer: str,
    *,
    prompt: SummaryPrompt,
    language: str | None,
    limit: int,
    count: Callable[[str], int],
) -> str:
    """The summary in an answer, cut at a sentence's end if it is too long; else a `ValueError`.

    Only what can be told cheaply and surely is refused: nothing readable, a refusal, the prompt or
    the conversation given back, the same sentence again and again, figures that nobody gave,
    another language.
    """
    text = _unwrapped(answer)
    if not any(character.isalpha() for character in text):
        raise ValueError("wrote nothing readable")
    if _REFUSAL.match(text.replace("\u2019", "'")):
        raise ValueError("refused to summarise")
    if _gives_back(text, prompt):
        raise ValueError("gave the prompt back")
    if _goes_round(text):
        raise ValueError("repeated itself")
    if _invents_figures(text, prompt):
        raise ValueError("wrote figures that nobody gave")
    written = guess_language(text)
    if language and written and written != language:
        raise ValueError(f"wrote in another language ({written}, not {language})")
    summary = _cut_at_sentence(text, limit=limit, count=count)
    if not summary:
        raise ValueError("wrote nothing that fits")
    return summary


def _unwrapped(answer: str) -> str:
    text = answer.replace("\0", "").strip()
    fenced = _FENCE.match(text)
    return _LABEL.sub("", fenced[1] if fenced else text, count=1).strip()


def _gives_back(text: str, prompt: SummaryPrompt) -> bool:
    told = split_sentences(prompt.instructions)
    if _TAG.search(text) or any(sentence in text for sentence in told):
        return True
    shown = set(prompt.shown.splitlines())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    echoed = sum(len(line) for line in lines if line in shown)
    return len(lines) >= _FEW_LINES and echoed > _ECHOED * len(text)


def _goes_round(text: str) -> bool:
    sentences = [sentence.lower() for sentence in split_sentences(text)]
    return len(sentences) >= _MANY_SENTENCES and len(set(sentences)) < _REPEATED * len(sentences)


def _invents_figures(text: str, prompt: SummaryPrompt) -> bool:
    given = _digits_of(prompt.shown)
    return any(figure not in given for figure in _digits_of(text))


def _digits_of(text: str) -> set[str]:
    """The digits of exact figures, however they are grouped; rounded ones have fewer."""
    digits = ("".join(filter(str.isdecimal, figure)) for figure in _FIGURE.findall(text))
    return {figure for figure in digits if len(figure) >= _EXACT_DIGITS}


def _cut_at_sentence(text: str, *, limit: int, count: Callable[[str], int]) -> str:
    if count(text) <= limit:
        return text
    cut = cut_to_fit(text, limit=limit, count=count)
    ends = [end.end() for end in _SENTENCE_END.finditer(cut.removesuffix("…"))]
    return cut[: ends[-1]].rstrip() if ends else cut
