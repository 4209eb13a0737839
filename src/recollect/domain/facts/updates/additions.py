"""One more of what users have: "We had our third child, Nina" leaves "I have two kids"."""

import re
from typing import Final

from recollect.domain.language import fold

_GETTING: Final = (
    r"had|have|got|expecting|welcomed|adopted|heb|hebben|kregen|verwachten|adopteerden"
    r"|habe|haben|bekamen|bekommen|erwarten|ai|avons|attendons|adopte|tengo|tenemos|tenido|tuvimos"
    r"|esperamos|adoptamos"
)
_ANOTHER: Final = (
    r"second|third|fourth|fifth|sixth|another|tweede|derde|vierde|vijfde|nog een"
    r"|zweite[ns]?|dritte[ns]?|vierte[ns]?|noch ein(?:e|en)?"
    r"|deuxieme|troisieme|quatrieme|cinquieme|(?:une? )?autre"
    r"|segund[oa]|tercer[oa]?|cuart[oa]|otr[oa]"
)
_ONE_MORE: Final = re.compile(rf"\b(?:{_GETTING})(?: \w{{1,10}}){{0,2}} (?:{_ANOTHER})\b")
_READ: Final = 300
"""Characters of a statement."""


def adds_one_more(content: str) -> bool:
    """Whether users say that they have one more of something, which ends nothing they have."""
    return _ONE_MORE.search(fold(content[:_READ])) is not None
