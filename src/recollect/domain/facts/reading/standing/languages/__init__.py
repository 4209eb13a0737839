"""The words of each language by which standing instructions are told: a TOML file each.

`docs/how-to/add-a-language.md` tells how to add one.
"""

from dataclasses import dataclass, fields
from functools import cache

from recollect.domain.speech.phrases import Phrases, phrase_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingWords:
    """Phrases of one language, without accents and in small letters."""

    openers: Phrases
    """What may stand before an instruction: "please", "oh and", "by the way"."""
    from_now_on: Phrases
    """That something is to last: "going forward", "in future"."""
    from_a_moment: Phrases
    """The same, or the period of the data that are asked for: "from now on"."""
    lasting: Phrases
    """Both of these."""
    markers: Phrases
    """All that may mark an instruction: these, `always`, `when_i_ask` and `call_me`."""
    always: Phrases
    """Always, never and their like: a sign only beside what answers are made of."""
    negations: Phrases
    """What stands before the verb of a prohibition: "do not"."""
    verbs: Phrases
    """What an assistant is told to do, as an imperative."""
    verbs_before_always: Phrases
    """Those that "always" may follow; all of them where the language has no list of its own."""
    retrieving: Phrases
    """Verbs, also of `infinitives`, that ask for data: "show"."""
    infinitives: Phrases
    """The same verbs in other forms, as they come after `duties` and `polite_questions`."""
    assistant: Phrases
    """The assistant as the subject of a clause after "from now on"."""
    duties: Phrases
    """How a sentence begins that tells the assistant its duty: "I want you to"."""
    obligations: Phrases
    """How a sentence begins that may tell anybody a duty: "you must"."""
    allowances: Phrases
    """How a sentence begins that allows something; a sign only beside "from now on"."""
    wishes: Phrases
    """How a sentence begins that tells a wish: "I want"."""
    polite_questions: Phrases
    """How a request begins that has the form of a question: "could you"."""
    please: Phrases
    tags: Phrases
    """What makes an instruction a question and changes nothing: "…, ok?"."""
    when_i_ask: Phrases
    about_answers: Phrases
    """What answers are made of: "tables", "in Dutch"."""
    answering: Phrases
    """Words that only somebody who answers is told: "answer", "reply"."""
    to_me: Phrases
    """To whom answers are given: "to me", "show me"."""
    call_me: Phrases
    not_names: Phrases
    """Words with a capital that are no name after "call me": "Monday"."""
    statement_words: Phrases
    """Words that make a clause a statement about somebody: "I", "they", "is"."""
    inverted_subjects: Phrases
    """Subjects that follow their verb: "voortaan antwoord ik"."""
    fragment_openings: Phrases
    """How a clause without a verb may begin: "no", "in", "everything"."""
    relatives: Phrases
    """Words after which "always" is not said of the verb before them: "who", "that"."""
    conclusions: Phrases
    """What begins a clause that follows from the one before it: "so"."""
    retractions: Phrases
    """How a sentence begins that takes back the one before it: "never mind"."""
    one_off: Phrases
    """What limits a wish to one answer, text or conversation: "this time"."""
    pointers: Phrases
    """What means nothing without the messages around it: "do that"."""
    text_tasks: Phrases
    """Work on a text, which may be the next sentence: "translate"."""
    sources: Phrases
    """Whose words the next sentences may be: "my boss", "the manual"."""
    reported: Phrases
    """What makes a sentence somebody else's words: "says"."""
    language_names: Phrases
    language_frames: Phrases
    """All that stands around the name of a language where nothing else is asked for: "answer in".
    `lasting` and `please` are among them."""


@cache
def standing_words(code: str) -> StandingWords:
    """The words of one of the `LANGUAGES`."""
    tables = dict(phrase_tables(__name__, code))
    tables.setdefault("verbs_before_always", tables["verbs"])
    tables["lasting"] = f"{tables['from_now_on']}; {tables['from_a_moment']}"
    marking = ("lasting", "always", "when_i_ask", "call_me")
    tables["markers"] = ";".join(tables[name] for name in marking)
    framing = ("language_frames", "lasting", "please")
    tables["language_frames"] = ";".join(tables[name] for name in framing)
    return StandingWords(
        **{one.name: Phrases.parse(tables[one.name]) for one in fields(StandingWords)}
    )
