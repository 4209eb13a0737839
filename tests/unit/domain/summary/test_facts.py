from recollect.domain.summary.facts import Fact, FactKind, terms_of
from support.examples import facts_in
from support.tables import for_each


def said(text: str, kind: FactKind) -> set[str]:
    return {word for fact in facts_in(text) if fact.kind is kind for word in fact.terms}


@for_each(
    ("text", "names"),
    [
        ("The user's name is Anna and she owns the Blue Door in Utrecht.", {"anna", "utrecht"}),
        ("De gebruiker heet Anna en heeft een winkel in Utrecht.", {"anna", "utrecht"}),
        ("Der Benutzer heißt Anna Schmidt und hat einen Laden.", {"anna", "schmidt"}),
        ("L'utilisateur s'appelle Chloé et vit à Lyon.", {"chlo", "lyon"}),
        ("El usuario se llama Íñigo y vive en Sevilla.", {"inigo", "sevilla"}),
        ('The shop is called "blue door".', {"blue", "door"}),
        ("The figures come from sales.orders and stock_levels.", {"sales.ord", "stock_level"}),
        ("Anna runs a shop.", {"anna"}),
    ],
)
def test_names_are_found_in_five_languages(text: str, names: set[str]) -> None:
    assert names <= said(text, FactKind.NAME)


def test_german_nouns_are_no_names() -> None:
    assert said("Ich habe einen Laden und viele Kunden in der Stadt.", FactKind.NAME) == set()


def test_the_first_word_of_a_sentence_is_no_name_by_its_capital_alone() -> None:
    assert said("Sales grew. Totals were shown.", FactKind.NAME) == set()


@for_each(
    ("earlier", "new"),
    [
        ("They sold 1,250 bikes.", "They sold 1.250 bikes."),
        ("They sold 1,250 bikes.", "They sold 1250 bikes."),
        ("Il a payé 1 250,00 euros.", "Il a payé 1250 euros."),
        ("It cost € 12.50.", "It cost € 12,50."),
        ("There are four employees.", "There are 4 employees."),
        ("Er zijn 4 medewerkers.", "Er zijn vier medewerkers."),
        ("It opened on 2024-03-12.", "It opened on 12 March 2024."),
        ("The user is ANNA.", "It is Anna's shop."),
        ("Her name is Chloé.", "She is called chloe."),
        ("The user prefers short answers.", "They like their answers short."),
        ("De gebruiker wil korte antwoorden.", "Voorkeur: kort antwoord, korte antwoorden."),
    ],
)
def test_a_fact_survives_in_another_form(earlier: str, new: str) -> None:
    lost = [fact for fact in facts_in(earlier) if not fact.is_in(terms_of(new))]

    assert lost == []


@for_each(
    ("earlier", "kind"),
    [
        ("The user is called Anna.", FactKind.NAME),
        ("The shop has 4 employees.", FactKind.FIGURE),
        ("The shop opened on 12 March 2019.", FactKind.FIGURE),
        ("The user prefers short answers without tables.", FactKind.WISH),
        ("De gebruiker wil liever geen tabellen.", FactKind.WISH),
        ("Der Benutzer möchte kurze Antworten.", FactKind.WISH),
        ("L'utilisateur préfère les réponses courtes.", FactKind.WISH),
        ("El usuario prefiere respuestas cortas.", FactKind.WISH),
    ],
)
def test_a_fact_missing_from_the_new_summary_is_detected_as_lost(
    earlier: str, kind: FactKind
) -> None:
    terms = terms_of("The user asked about sales by region and the assistant answered.")
    lost = {fact.kind for fact in facts_in(earlier) if not fact.is_in(terms)}

    assert kind in lost


def test_a_figure_is_a_fact_of_its_own() -> None:
    figure = Fact(kind=FactKind.FIGURE, terms=frozenset({"36"}))

    assert figure in facts_in("The team has 36 people.")
    assert not figure.is_in(terms_of("The team has 360 people."))
