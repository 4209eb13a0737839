"""What memory adds to a request that has its conversation with it, or only the end of it."""

from dataclasses import dataclass, replace
from uuid import UUID

from recollect.domain.completions.call import CompletionCall
from recollect.domain.completions.writing import Memories
from recollect.domain.context import Context
from recollect.domain.rendering.chat import recalled_text, summary_text, window_messages
from recollect.domain.scope import Scope
from recollect.ports.branches import Followed
from recollect.services.contexts import Contexts


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """Finds what a request does not tell itself: nothing that is in it is told again."""

    contexts: Contexts

    async def memories(
        self, scope: Scope, session_id: UUID, call: CompletionCall, followed: Followed | None
    ) -> Memories:
        """What the client left out: the conversation so far, or the beginning of it in short.

        Beside that, what was said in other conversations. The question stays as it was asked: a
        model that sees the conversation needs no rewriting.
        """
        context = await self.context(scope, session_id, call)
        leaves_out = call.continues or (followed is not None and _leaves_out(call, followed))
        if not leaves_out:
            elsewhere = (one for one in context.recalled if one.session_id != session_id)
            context = replace(context, recalled=tuple(elsewhere))
        memories = Memories(
            summary=summary_text(context) if leaves_out else "",
            window=window_messages(context) if call.continues else (),
            recalled=recalled_text(context),
        )
        return replace(memories, tables=context.tables) if memories else memories

    async def context(self, scope: Scope, session_id: UUID, call: CompletionCall) -> Context:
        """The last question in the context of its session."""
        _, question = call.request.said[-1]
        return await self.contexts.build(scope, session_id, question, model=call.request.model)


def _leaves_out(call: CompletionCall, followed: Followed) -> bool:
    """Whether more is stored of the branch than the client has sent."""
    return len(followed.before) > len(call.request.said) - 1
