"""Whatever a client sends, a strict chat template accepts what is made of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.chat.requests import ChatRequest
from recollect.domain.chat.writing import Memories, with_memories
from recollect.domain.model_names import ChatTemplate
from support.doubles.strict_templates import check_template

ROLES = st.sampled_from(["system", "developer", "user", "assistant"])
CONTENTS = st.sampled_from(["text", "parts", "nothing"])
TEMPLATES = st.sampled_from([t for t in ChatTemplate if t is not ChatTemplate.AUTO])
MEMORIES = st.builds(
    Memories,
    summary=st.sampled_from(["", "summary"]),
    window=st.sampled_from([(), ({"role": "assistant", "content": "earlier"},)]),
    recalled=st.sampled_from(["", "recalled"]),
)


def message(number: int, role: str, kind: str) -> dict[str, object]:
    text = f"<{number}>"
    contents = {"text": text, "parts": [{"type": "text", "text": text}], "nothing": None}
    return {"role": role, "content": contents[kind]}


@given(st.lists(st.tuples(ROLES, CONTENTS), max_size=8), TEMPLATES, MEMORIES)
def test_a_strict_template_accepts_all_that_was_said(
    said: list[tuple[str, str]], template: ChatTemplate, memories: Memories
) -> None:
    messages = [message(number, *one) for number, one in enumerate([*said, ("user", "text")])]
    request = ChatRequest.of({"messages": messages})  # type: ignore[dict-item]  # is JSON
    sent = with_memories(request, memories, template=template)["messages"]
    assert isinstance(sent, list)
    if memories or template is not ChatTemplate.PLAIN:
        check_template(sent, template)
    told = json.dumps(sent)
    for number, (_, kind) in enumerate([*said, ("user", "text")]):
        assert told.count(f"<{number}>") == (kind != "nothing")
    for text in (memories.summary, memories.recalled):
        assert not text or told.count(text) == 1
