"""English."""

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


def _possess(owner: str, owned: str, _pronoun: str) -> str:
    clitic = "'" if owner.endswith("s") else "'s"
    return f"{owner}{clitic} {owned}"


_PRONOUNS: Final = {
    "he": Pronoun(Kind.PERSON, gender="m"),
    "him": Pronoun(Kind.PERSON, gender="m"),
    "his": Pronoun(Kind.PERSON, gender="m", possessive=True),
    "she": Pronoun(Kind.PERSON, gender="f"),
    "her": Pronoun(Kind.PERSON, gender="f", possessive=True),
    "hers": Pronoun(Kind.PERSON, gender="f"),
    "it": Pronoun(Kind.THING),
    "its": Pronoun(Kind.THING, possessive=True),
    "they": Pronoun(plural=None),
    "them": Pronoun(plural=True),
    "their": Pronoun(plural=None, possessive=True),
    "theirs": Pronoun(plural=None),
}

ENGLISH: Final = LanguagePack(
    code="en",
    pronouns=MappingProxyType(_PRONOUNS),
    demonstratives=MappingProxyType(dict.fromkeys(("this", "that", "these", "those"), "the")),
    personal=words(
        "i me my mine myself you your yours yourself we us our ours one's"
        " someone somebody anyone anybody everyone everybody people something anything nothing"
        " everything himself herself itself themselves"
    ),
    own_words=words("my our your"),
    definite=words("the"),
    indefinite=words("a an"),
    quantifiers=words(
        "all any some each every no both either neither many much few several most more less"
        " enough another such half own"
    ),
    prepositions=words(
        "about above across after against along amid among around as at before behind below"
        " beneath beside besides between beyond by despite down during except excluding for from"
        " in including inside into like near of off on onto out outside over past per regarding"
        " since than through throughout to toward towards under until up upon versus via vs with"
        " within without concerning"
    ),
    conjunctions=words("and or but nor yet plus"),
    subordinators=words(
        "that which who whom whose where when while because if whether although so"
    ),
    auxiliaries=words(
        "is are was were be been being am 's 're 'm 've 'll 'd do does did done has have had"
        " having can could will would shall should may might must isn't aren't wasn't weren't"
        " doesn't don't didn't can't cannot couldn't won't wouldn't shouldn't hasn't haven't"
        " hadn't let get gets got"
    ),
    question_words=words("what who whom whose which when where why how"),
    requests=words(
        "show list tell give find display name get describe explain compare sort order group"
        " count rank calculate return filter select provide state identify summarise summarize"
        " please let limit arrange see"
    ),
    verbs=words(
        "accept achieve act add affect agree allow appear apply approach arrive ask attack attempt"
        " attend avoid be beat became become began begin begun believe belong bought bring broke"
        " brought build built buy call came care carry cause celebrate change chart choose chose"
        " claim collaborate come compare compete compose consider consist contain continue"
        " contribute convince cook cost cover create criticize damage date deal debut decide"
        " declare defeat define describe design develop die died differ direct discover discuss"
        " do draw drink drive drove earn eat elect enable encounter end enjoy enter establish"
        " evolve exist expand expect experience explain face fail fall feature feel fell felt"
        " fight find finish fire flew fly focus follow form fought found fund gain gave generate"
        " get give given go goes going gone graduate grew grow had happen hate have hear heard"
        " held help hire hit hold hurt identify impact improve include increase influence injure"
        " inspire interact introduce invent involve join keep kept kill knew know known land"
        " launch lead learn leave led left like link listen live locate look lose lost love made"
        " make manage marry mean meet meant mention met move name need nominate occur offer open"
        " operate originate own paid participate pass pay perform play prefer prepare present"
        " prevent produce promote prove provide publish pursue put raise ran range rank rate reach"
        " react read receive recommend record reduce refer reflect regard reject relate release"
        " remain remember remove replace report represent require respond result retire return"
        " reveal rise rose run said sang save saw say see seem sell send serve settle share show"
        " sign sing sold solve sound speak spend spent spread stand start state stay stop study"
        " succeed suffer suggest support survive swim take taken talk taught teach tell think"
        " thought told took tour train travel treat tried try turn understand use visit vote want"
        " was watch wear went win won work worked write written wrote"
    ),
    verb_endings=("s", "es", "ed", "ing"),
    plural_endings=("s", "people", "men", "women", "children"),
    adverbs=words(
        "not also ever never always still again already just only even then there here now too"
        " very really mostly mainly generally usually often sometimes well instead currently"
        " originally actually exactly later ago away together so yes no ok okay please"
        " far long else recently finally eventually initially n't today"
    ),
    adjectives=words(
        "famous popular important good bad best worst better worse new old other common main"
        " different same such successful able big small large great high low long short early"
        " late young similar many more most unique special significant interesting notable"
    ),
    openers=sequences(
        "and what about, and how about, then what about, but what about, so what about, "
        "ok how about, how is it, how does that, what if, what about, how about, how is, "
        "what for, i mean, turn to, change to, and then, and also, and, or, but, "
        "then, if, also, only, just, now, same, instead, try"
    ),
    small_talk=words(
        "thanks thank you bye goodbye hello hi hey good morning afternoon evening night day nice"
        " great cool awesome perfect ok okay yes no sure please welcome cheers very much so a lot"
        " for your help have too wonderful excellent all that is 's was will be it i need needed"
        " everything today fine and the of course do does this think believe just then covered got"
        " done 'll 've 'm would work works sounds want wanted know info information looking"
        " nope further assistance questions question check out again takes care covers should me"
        " to luck"
    ),
    attribute_nouns=words(
        "address addresses advantage advantages age amount answer application applications area"
        " attendance author background benefit benefits capacity capital cause causes ceo"
        " character characters colour color component components cons consequence consequences"
        " cost costs cuisine cure date definition department details difference differences"
        " difficulty director disadvantage disadvantages discovery duration effect effects"
        " evolution example examples feature features founder function functions future genre"
        " headquarters height highlights history id importance impact influence information"
        " ingredients inventor invention issues layers leader length level limitations location"
        " locations meaning member members mission name names number numbers opponent origin"
        " origins outcome owner owners parts phone plot population position postcode price prices"
        " problem problems producer products properties pros purpose quality quantity reason"
        " reasons record records relationship requirements result results risk risks role roles"
        " score season side signs similarities singer size sources stages status steps strengths"
        " structure style subject symptom symptoms team telephone theme themes time title titles"
        " top treatment treatments type types uses value values version weaknesses weight winner"
        " winners year years salary revenue profit budget gross rating turnover growth"
        " significance characteristics"
    ),
    class_nouns=words(
        "act actor album albums artist author band bands battle book books brand building"
        " campaign car case centre character church city club coach college company concert"
        " condition conflict contest council country crash creature county dish disease drug event"
        " experiment expedition family festival film films firm food game games genre group hotel"
        " incident industry institution island king lake language law league magazine man mountain"
        " movement movie movies museum music musical newspaper nation novel orchestra organization"
        " organisation painting paper party person philosopher place plane planet plant play player"
        " pledge poem policy president product program programme project queen record region report"
        " restaurant river saying school season series ship show singer single singles site song"
        " songs species speech sport star state station story strike studio style system team"
        " technique technology theory title tour town tournament treaty tribe tribes trial trip"
        " university vessel video village virus war wife woman work works writer"
    ),
    the="the",
    of="of",
    conjunction="and",
    possess=_possess,
    about="about",
    place_adverbs=words("there here"),
    closing_words=words("thanks thank goodbye bye"),
    preferring=words("preference preferences prefer have want"),
    empty_nouns=words(
        "kind kinds type types sort sorts thing things way ways lot lots time times part end"
        " number bit piece case point fact name something problem question answer"
    ),
    about_words=words(
        "interesting information info details aspects facts anything something else know tell"
    ),
    concerning="for",
    event_verbs=words("happen happens happened occur occurred change changed"),
    infinitive_marks=words("to"),
    saying_verbs=words(
        "say says said think thinks thought believe believes know knows knew claim claims claimed"
        " announce announced mean means argue argued show shows agree report reported suggest"
        " suggests feel find hear true sure"
    ),
    naming_words=words("called named titled entitled suggest recommend suggested recommended"),
    document_nouns=words("article section page passage text document"),
    adjective_endings=("ish", "ese", "ian", "ean", "can", "nch"),
    predicate_endings=("ful", "ous", "able", "ible", "ive", "less", "ier", "iest"),
    place_prepositions=words("in at to"),
    else_words=words("else"),
    other_words=words("other others another additional further"),
    only_words=words("only just"),
    same_words=words("same"),
    also_words=words("also too additionally"),
    reply_words=words(
        "yes no ok okay sure great thanks interesting right well so yeah yep nope oh"
    ),
    indifference=sequences(
        "don't care, dont care, do not care, doesn't matter, no preference, not care, any is fine"
    ),
    pleonastic=words(
        "possible true important hard easy difficult necessary better best worth likely clear safe"
        " normal legal okay ok time take takes took good bad wise"
    ),
    pleonastic_after=words("to that for"),
    impersonal=sequences("did it go, does it go, is it going, 's it going, has it gone"),
    impersonal_verbs=words("rain rains rained raining snow snows snowed snowing"),
    data_words=words(
        "show list display sort order group count rank find give return compare average total sum"
        " number highest lowest most least more less fewer maximum minimum max min top bottom"
        " ascending descending per each every between than equal distinct earliest latest many"
        " sorted ordered grouped record records largest smallest oldest youngest longest shortest"
        " names name ids id codes code whose all which sales revenue"
    ),
    above_words=words("above results result list"),
    clause_words=words("where when whose"),
    copulas=words("is are was were be 's 're"),
    aggregates=words(
        "average mean total sum maximum minimum max min most least highest lowest greatest"
        " smallest largest biggest longest shortest earliest latest oldest youngest best worst"
    ),
    one_words=words("one ones"),
    trailing=words("instead too also again please then only"),
    open_words=words(
        "about why how describe explain tell you i my mean purpose difference important importance"
    ),
    which_words=words("which what whose"),
    counting=words("many much about"),
    ordering=words("sort order group rank arrange sorted ordered grouped ranked"),
    grouping=words("by per"),
    removal_words=words("remove without drop ignore exclude delete"),
    all_words=words("all every any"),
    comparators=words(
        "more less fewer greater larger smaller higher lower longer shorter bigger older younger"
        " over under above below before after earlier later at least most than equal between"
    ),
    opposites=pairs(
        "most least, least most, highest lowest, lowest highest, earliest latest, "
        "latest earliest, largest smallest, smallest largest, first last, last first, "
        "more less, less more, before after, after before, maximum minimum, minimum maximum, "
        "ascending descending, descending ascending, top bottom, bottom top, best worst, "
        "worst best, oldest youngest, youngest oldest, longest shortest, shortest longest, "
        "higher lower, lower higher, fewer more, over under, under over, above below, "
        "below above, biggest smallest, newest oldest, fewest most"
    ),
    months=words(
        "january february march april may june july august september october november december"
    ),
    time_units=words("day week month quarter year season decade hour"),
    person_nouns=words(
        "man woman boy girl person actor actress singer author writer player king queen president"
        " mother father wife husband son daughter brother sister teacher student doctor director"
        " artist employee customer founder inventor coach"
    ),
    next_words=words("next following"),
    previous_words=words("previous preceding prior"),
    number_words=words("one two three four five six seven eight nine ten twelve twenty hundred"),
    ordinals=words("first second third fourth fifth last former latter"),
)
