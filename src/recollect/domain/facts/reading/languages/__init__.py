"""The words of each language by which the gate and commands are told: a TOML file each.

`docs/how-to/add-a-language.md` tells how to add one.
"""

from dataclasses import dataclass, fields
from functools import cache

from recollect.domain.speech.phrases import LANGUAGES, Phrases, phrase_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWords:
    """Phrases of one language, without accents and in small letters."""

    subjects: Phrases
    """The user as a subject: "I", "we"."""
    inverted: Phrases
    """How a question about the user begins: "do I"."""
    inverted_subjects: Phrases
    """Subjects that any verb may stand before in a question: "ik"; none in English."""
    interrogatives: Phrases
    roles: Phrases
    """What names the user within a question: "as a", "my"."""
    tags: Phrases
    """What makes a statement a question: "right"."""
    whether: Phrases
    """Words right before what is asked indirectly."""
    conditions: Phrases
    """How a condition begins: "if I"."""
    unreal: Phrases
    """Words of what is not so: "would"."""
    almost: Phrases
    """What nearly happened: "almost got"."""
    suppositions: Phrases
    """After which nothing of the message is so: "suppose"."""
    suppositions_first: Phrases
    """The same at the beginning of a clause; elsewhere it says something else: "angenommen"."""
    wishes: Phrases
    """What is wished for or only considered: "I wish", "I might"."""
    reports: Phrases
    """What makes a clause somebody else's words: "says"."""
    recalled: Phrases
    """What makes a clause the assistant's own words, given back: "you said"."""
    contrasts: Phrases
    """What begins a clause that sets another one right: "but"."""
    stories: Phrases
    """Tasks to make something up; what follows belongs to it: "write a story"."""
    songs: Phrases
    """What makes lines of a song of the others in a message: "who sings"."""
    role_play: Phrases
    """What makes the message a play: "pretend", "my character"."""
    ironies: Phrases
    """Clauses that make the next one the opposite of what is so: "yeah, right"."""
    assents: Phrases
    """What is ironic before "and": "Sure, and I'm the queen"."""
    laughs: Phrases
    """What may stand before it: "haha"."""
    jokes: Phrases
    """What makes what was said before a joke: "just kidding"."""
    passing: Phrases
    """What holds for a while, or for one text only: "today", "this time"."""
    lasting: Phrases
    """What makes it last nevertheless: "since", "from today on"."""
    elliptic: Phrases
    """Words that say nothing of somebody without what was said before: "isn't", "too"."""
    planted: Phrases
    """Instructions to a model in texts: "ignore previous"."""
    text_tasks: Phrases
    """Work on a text that the message has: "translate"."""
    this_text: Phrases
    """How a task names the text that follows: "this", "the following"."""
    message_tasks: Phrases
    """How a task begins to tell somebody a text that follows a colon: "forward"."""
    message_tasks_asked: Phrases
    """The same after `polite`, where the verb has another form, which may stand at the end."""
    to_user: Phrases
    """What right behind such a verb makes the user the one who gets it: "send me"."""
    sayings: Phrases
    """How somebody asks for a translation without quotation marks: "how do you say"."""
    salutations: Phrases
    """How a letter begins: "Dear"."""
    closings: Phrases
    """How a letter ends, before a name: "Kind regards"."""
    reply_tasks: Phrases
    """What is asked about a letter that follows: "what should I answer"."""
    openers: Phrases
    """What may stand before a command: "please"."""
    polite: Phrases
    """How a command begins that has the form of a question: "could you"."""
    remember: Phrases
    """Commands to remember what follows: "remember that"."""
    remember_asked: Phrases
    """The same after `polite`, where the verb has another form."""
    remember_verbs: Phrases
    """The same right before a statement about something of the user's: "remember my size is M"."""
    owners: Phrases
    """What makes something the user's: "my"."""
    statement_verbs: Phrases
    """Verbs of what is said of something of the user's."""
    talk_nouns: Phrases
    """What belongs to the conversation and not to the user: "question"."""
    passing_nouns: Phrases
    """What "forget my …" may not mean for good: "budget"."""
    owners_named: Phrases
    """What makes something the user's behind "forget": "my", "meinen"."""
    having: Phrases
    """How users say that they have a thing: "I have a"."""
    relatives: Phrases
    """What begins a clause that only tells more of it: "that"."""
    name_tails: Phrases
    """What its name alone follows: "called"."""
    called: Phrases
    """The same as a verb: "is called"."""
    articles_named: Phrases
    """What an attribute begins with behind "forget": "the" of "the name of my wife"."""
    names_named: Phrases
    """What names somebody behind "forget": "name", "Namen"."""
    forget: Phrases
    forget_asked: Phrases
    forget_topic: Phrases
    """Commands to forget all about something: "forget what I said about"."""
    forget_verbs: Phrases
    """The same right before the name of a slot: "forget my name"."""
    forget_verbs_asked: Phrases
    """The same after `polite`, where the verb has another form, which may stand at the end."""
    erase_verbs: Phrases
    """The same where `from_memory` is said: without it a text may be meant."""
    from_memory: Phrases
    forget_everything: Phrases
    """Commands to forget all about the user."""
    forget_everything_asked: Phrases
    exceptions: Phrases
    """What leaves something out: "except"."""
    forget_last: Phrases
    """Commands to forget what the user has just said."""
    forget_that: Phrases
    """The same, which may mean something else."""
    unwanted: Phrases
    """What says that nothing of it is to be remembered: "off the record"."""
    unwanted_verbs: Phrases
    """The same before `unwanted_things`: "don't remember"."""
    unwanted_things: Phrases
    """How a message means itself or the one before: "this"."""
    please: Phrases
    """What makes a request of a question."""
    keeping: Phrases
    """What is not to be forgotten: "don't forget"."""
    last_negations: Phrases
    """Negations at the end of such a sentence: "vergeet … niet"."""
    topic_endings: Phrases
    """What may follow a topic: "gesagt habe"."""
    not_content: Phrases
    """How no statement begins: "for later"."""
    then: Phrases
    """What may join a task to a command: "then"."""
    added_tasks: Phrases
    """Tasks behind a command that are no part of what it says: "give me"."""
    naming: Phrases
    """Verbs that the only value of a thing follows: "is", "costs"."""
    one_of_many: Phrases
    """What makes such a value one of several: "a"."""
    joints: Phrases
    """What joins two clauses: "and"."""
    own_verbs: Phrases
    """Verbs of what users say of themselves, in the forms of "I" and "we"."""
    clause_adverbs: Phrases
    """What may stand between "and" and such a verb: "also"."""
    subordinating: Phrases
    """Words of a first clause after which "and" may join something else: "who", "not"."""
    persons: Phrases
    """Somebody of the user's: "manager"."""
    own_labels: Phrases
    """What users write before their own lines of a conversation that is pasted: "me"."""
    speakers: Phrases
    """Who else somebody may be in a conversation that is pasted: "customer"."""
    articles: Phrases
    """What something begins with that belongs to somebody: "the" of "the manager of my manager"."""
    of_mine: Phrases
    """What joins something to somebody of the user's: "of my"."""
    genitives: Phrases
    """The ending of somebody to whom something belongs, as a word of its own: the "s" of "'s"."""
    compound_ends: Phrases
    """What makes a noun another one that is written apart: the "in law" of "mother in law"."""
    name_nouns: Phrases
    """What names somebody and is nothing of theirs: "name"."""
    referring: Phrases
    """Words of a second clause that mean something of the first: "it"."""
    clause_openers: Phrases
    """What stands before a clause whose verb stands at its end: "dat"; none where it does not."""
    clause_verbs: Phrases
    """Verbs that stand at the end of such a clause."""
    clause_joints: Phrases
    """Words with which another clause begins behind such a clause: "omdat"."""
    clause_prepositions: Phrases
    """What may follow the verb of such a clause: "voor"."""
    clause_modals: Phrases
    """Verbs that stand before another one at the end of such a clause: "mag"."""
    clause_particles: Phrases
    """What such a verb may begin with, and a sentence ends with: the "op" of "opsta"."""
    copula: Phrases
    """What stands between somebody and their name: "is"."""
    pairs: Phrases
    """What stands between two subjects: "and", "nor"."""
    open_ends: Phrases
    """Words with which no sentence ends: "but"."""
    second_subjects: Phrases
    """The user as the second of two subjects: the "I" of "my sister and I"."""
    both: Phrases
    """What may stand before two subjects: "neither"."""
    joining: Phrases
    """Words that join something else to what is told, beside "and": "also"."""


@cache
def fact_words(code: str) -> FactWords:
    """The words of one of the `LANGUAGES`."""
    tables = phrase_tables(__name__, code)
    return FactWords(**{one.name: Phrases.parse(tables[one.name]) for one in fields(FactWords)})


@cache
def phrases_of_all(field: str) -> Phrases:
    """The phrases that all languages have for one field of `FactWords`.

    They are for texts of which the language is not known.
    """
    return Phrases.parse(";".join(phrase_tables(__name__, code)[field] for code in LANGUAGES))
