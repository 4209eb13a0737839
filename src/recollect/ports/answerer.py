"""What answers questions."""

from collections.abc import AsyncGenerator
from typing import Protocol

from recollect.domain.answer import Answer, Asked
from recollect.domain.scope import Scope


class Answerer(Protocol):
    """Answers a question that memory has put into its context.

    No connection to the database is held while it works. Its errors are `ModelUnavailable` and
    what else `recollect.errors` lists below `RecollectError`; never an upstream's traceback.
    """

    async def answer(self, scope: Scope, asked: Asked) -> Answer:
        """The whole answer at once; its content is never blank."""
        ...

    def stream(self, scope: Scope, asked: Asked) -> AsyncGenerator[str | Answer, None]:
        """The answer in pieces of text as they come, and the whole `Answer` as the last item.

        Whoever stops listening closes it, and it stops working.
        """
        ...
