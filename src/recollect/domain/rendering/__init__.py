"""A context as text and values: for chat models, for prompts, for templates.

Whatever stands here was said by somebody: it is quoted as data, and told to be, so that a
sentence in an old message is never taken for an instruction. The stable parts come first and the
question last, which keeps the prompt caches of models useful.
"""

from recollect.domain.rendering.chat import chat_messages
from recollect.domain.rendering.conversation import conversation_block
from recollect.domain.rendering.instructions import instructions
from recollect.domain.rendering.values import plain_object, template_variables

__all__ = [
    "chat_messages",
    "conversation_block",
    "instructions",
    "plain_object",
    "template_variables",
]
