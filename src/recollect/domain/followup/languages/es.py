"""Spanish."""

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

_FEMININE: Final = ("a", "as", "ción", "ciones", "sión", "siones", "dad", "dades", "tud", "umbre")


def _possess(owner: str, owned: str, _pronoun: str) -> str:
    """As in "su dirección" → "la dirección de Ana": the ending tells the gender well enough."""
    noun = owned.split(" ", 1)[0].lower()
    article = "la" if noun.endswith(_FEMININE) else "el"
    if noun.endswith("s"):
        article = "las" if article == "la" else "los"
    of = f"del {owner[3:]}" if owner.lower().startswith("el ") else f"de {owner}"
    return f"{article} {owned} {of}"


_OWNING: Final = Pronoun(plural=None, possessive=True)
_THIS: Final = {
    "este": "el", "esta": "la", "estos": "los", "estas": "las", "ese": "el", "esa": "la",
    "esos": "los", "esas": "las", "aquel": "el", "aquella": "la", "esto": "lo", "eso": "lo",
}  # fmt: skip

SPANISH: Final = LanguagePack(
    code="es",
    pronouns=MappingProxyType(
        {
            "él": Pronoun(Kind.PERSON, gender="m"),
            "ella": Pronoun(Kind.PERSON, gender="f"),
            "ellos": Pronoun(plural=True),
            "ellas": Pronoun(plural=True),
            "ello": Pronoun(Kind.THING),
            "su": _OWNING,
            "sus": _OWNING,
        }
    ),
    demonstratives=MappingProxyType(_THIS),
    personal=words(
        "yo me mí mi mis tú te ti tu tus nosotros nos nuestro nuestra vosotros os usted ustedes se"
        " alguien nadie algo nada todo uno le les lo"
    ),
    own_words=words("mi mis nuestro nuestra nuestros nuestras tu tus"),
    definite=words("el la los las"),
    indefinite=words("un una unos unas"),
    quantifiers=words(
        "todos todas cada varios varias algunos algunas ningún ninguna mucho muchos muchas más"
        " menos poco pocos ambos bastante"
    ),
    prepositions=words(
        "a al ante bajo con contra de del desde durante en entre hacia hasta mediante para por"
        " según sin sobre tras como respecto"
    ),
    conjunctions=words("y e o u pero ni sino"),
    subordinators=words("que quien donde cuando si porque aunque cuyo cuya mientras"),
    auxiliaries=words(
        "es soy eres son era eran fue fueron será está están estaba ha he has han había habían"
        " puede puedo pueden podía debe deben va van hay hace hacen tiene tienen tuvo sido"
    ),
    copulas=words("es son era eran fue fueron está están"),
    question_words=words(
        "qué quién quiénes cuál cuáles dónde cuándo cuánto cuántos cuánta cuántas cómo"
    ),
    adverbs=words(
        "no también nunca siempre todavía aún ya solo sólo incluso entonces ahora aquí allí ahí"
        " muy realmente casi bien mejor luego después antes juntos sí hoy actualmente"
    ),
    place_adverbs=words("allí allá ahí"),
    clause_words=words("donde cuando"),
    infinitive_marks=words("a para"),
    verbs=words(
        "abrir aprender ayudar cambiar cantar comenzar comenzó comprar compró compraron"
        " construyó costar cuesta cuestan creó dar dio decir dijo dirigió empezar empezó"
        " encontrar escribir escribió estudiar estudió existe fundó ganar ganó gana hacer hizo"
        " jugar jugó llamar llama llegar matar morir murió murieron nacer nació ocurrió ocurrir"
        " pagar pasar pasó pensar perder producir produce publicar publicó recibir recibió salir"
        " salió significa trabajar trabaja usar vender vende vendió vendieron vendido ver vivir"
        " vive vivió empieza termina funciona sirve pertenece"
    ),
    plural_endings=("s",),
    adjectives=words(
        "famoso famosa conocido conocida popular importante importantes bueno buena malo nuevo"
        " nueva viejo otro otra grande pequeño pequeña alto alta bajo largo corto joven caro cara"
        " barato barata interesante posible principal principales"
    ),
    attribute_nouns=words(
        "altura autor beneficios capital causa causas composición condiciones consecuencias coste"
        " costo costos cantidad descripción desventajas diferencia diferencias dirección director"
        " duración edad efectos ejemplos fecha fundador función ganador historia horario idioma"
        " importancia ingredientes longitud lugar miembros nombre nombres número objetivo origen"
        " personajes peso población precio precios productos propósito requisitos resultado"
        " resultados riesgos rol salario significado superficie síntomas tamaño teléfono tipos"
        " título total tratamiento valor ventajas ventas versión color"
    ),
    class_nouns=words(
        "álbum artista autor banda batalla canción ciudad club cuadro empresa enfermedad equipo"
        " grupo guerra hotel isla libro marca montaña museo novela obra organización país partido"
        " película persona planta producto proyecto región restaurante rey río serie sistema"
        " teoría universidad"
    ),
    person_nouns=words(
        "hombre mujer persona actor actriz cantante autor escritor jugador rey reina presidente"
        " madre padre hijo hija hermano hermana profesor médico director cliente fundador inventor"
        " entrenador ministro"
    ),
    document_nouns=words("artículo sección página texto documento"),
    empty_nouns=words("tipo tipos clase cosa cosas manera parte vez veces tiempo caso pregunta"),
    event_verbs=words("pasó ocurrió sucedió"),
    saying_verbs=words("decir dice dijo piensa cree sabe"),
    naming_words=words("llamado llamada llamados"),
    months=words(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    time_units=words("día semana mes trimestre año temporada década hora"),
    number_words=words("dos tres cuatro cinco seis siete ocho nueve diez doce veinte cien"),
    openers=sequences(
        "y qué hay de, qué hay de, y qué tal, qué tal, y qué pasa con, qué pasa con, y si, "
        "y también, lo mismo para, y, o, pero, entonces, también, solo, sólo, solamente, ahora, "
        "quiero decir"
    ),
    trailing=words("entonces también gracias"),
    else_words=words("más"),
    other_words=words("otro otra otros otras"),
    only_words=words("solo sólo solamente únicamente"),
    also_words=words("también además"),
    same_words=words("mismo"),
    next_words=words("próximo próxima siguiente"),
    previous_words=words("anterior pasado"),
    ordinals=words("primero primera segundo segunda tercero último última"),
    comparators=words("más menos mayor menor antes después"),
    impersonal_verbs=words("llueve nieva"),
    small_talk=words(
        "gracias muchas muchísimas hola buenos días buenas tardes noches adiós hasta luego vale ok"
        " sí no perfecto genial muy bien eso es todo por tu su ayuda y de nada"
    ),
    closing_words=words("gracias adiós"),
    reply_words=words("sí no vale ok gracias interesante bien perfecto"),
    indifference=sequences("me da igual, no importa, sin preferencia"),
    preferring=words("preferencia quiere prefiere"),
    requests=words(
        "muestra muéstrame lista dame encuentra nombra describe explica compara ordena agrupa"
        " cuenta calcula filtra"
    ),
    inverts_verbs=True,
    which_words=words("qué cuál cuáles cuánto cuántos cuánta cuántas"),
    data_words=words(
        "muestra muéstrame lista dame ordena agrupa cuenta total totales media promedio suma número"
        " mayor menor máximo mínimo por cada entre ventas cuántos cuántas todos todas"
    ),
    open_words=words("cómo describe explica usted yo significa diferencia"),
    ordering=words("ordena agrupa clasifica"),
    grouping=words("por"),
    removal_words=words("quita elimina sin"),
    all_words=words("todos todas"),
    aggregates=words("media promedio total suma máximo mínimo mayor menor mejor peor"),
    opposites=pairs(
        "más menos, menos más, primero último, último primero, antes después, después antes, "
        "ascendente descendente, descendente ascendente, mayor menor, menor mayor, mejor peor, "
        "peor mejor"
    ),
    drops_subject=True,
    the="el",
    of="de",
    about="sobre",
    conjunction="y",
    concerning="para",
    about_words=words("interesante información detalles saber decir algo más"),
    place_prepositions=words("en a"),
    possess=_possess,
)
