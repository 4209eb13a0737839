"""Commands to forget something among the results of a search.

"Forget my dog" is near to every question about the dog, and says nothing of it.
"""

from collections.abc import Sequence

from recollect.domain.facts.reading.commands.detection import only_forgets
from recollect.domain.recall.entry import Recalled
from recollect.domain.recall.entry_maker import read_exchange


def commands_last(results: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """The results with commands to forget behind all others, and none above these in its score."""
    commands = [one for one in results if _is_command(one)]
    others = [one for one in results if one not in commands]
    if not commands or not others:
        return tuple(results)
    lowest = min(one.score for one in others)
    return (*others, *(one._replace(score=min(one.score, lowest)) for one in commands))


def _is_command(result: Recalled) -> bool:
    if result.speaker is not None:
        return False
    exchange = read_exchange(result.text, has_tables=bool(result.tables))
    return only_forgets(exchange[0] if exchange else result.text)
