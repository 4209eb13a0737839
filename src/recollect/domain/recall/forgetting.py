"""Commands to forget something among the results of a search.

"Forget my dog" is near to every question about the dog, and says nothing of it.
"""

from collections.abc import Iterable

from recollect.domain.facts.reading.commands.detection import may_forget, only_forgets
from recollect.domain.recall.entry import Recalled
from recollect.domain.recall.entry_maker import read_exchange


def possible_commands(results: Iterable[Recalled]) -> list[tuple[Recalled, str]]:
    """The results that have words of such a command, each with what the user said."""
    possible = []
    for one in results:
        if one.speaker is None:
            exchange = read_exchange(one.text, has_tables=bool(one.tables))
            message = exchange[0] if exchange else one.text
            if may_forget(message):
                possible.append((one, message))
    return possible


def commands_last(
    results: tuple[Recalled, ...], possible: Iterable[tuple[Recalled, str]]
) -> tuple[Recalled, ...]:
    """The results with commands to forget behind all others, and none above these in its score."""
    commands = [one for one, message in possible if only_forgets(message)]
    others = [one for one in results if one not in commands]
    if not commands or not others:
        return results
    lowest = min(one.score for one in others)
    return (*others, *(one._replace(score=min(one.score, lowest)) for one in commands))
