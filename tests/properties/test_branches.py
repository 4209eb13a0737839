"""A client that edits, regenerates and goes back at will is always understood."""

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contracts.branch_client import Talk, listed
from recollect.domain.chat.reconciliation import gist, reconcile
from recollect.domain.conversation.message import Role
from recollect.domain.conversation.session import Stored
from recollect.engines.in_memory import in_memory_stores
from support.examples import a_message
from support.stored_conversations import a_stored_message

moves = st.lists(
    st.tuples(
        st.sampled_from(["ask", "regenerate", "edit", "go back"]),
        st.integers(0, 30),
        st.sampled_from(["yes", "no", "and then?"]),
    ),
    max_size=15,
)


plain = st.text(st.characters(exclude_characters="<"), max_size=40)


class Client:
    """Knows all branches it has shown, and sends the one it shows now, a little changed."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.branches: list[list[str]] = []
        self.shown: list[str] = []
        self.nodes: set[tuple[str, ...]] = set()
        self.answers = 0

    async def move(self, kind: str, number: int, text: str) -> None:
        turns = len(self.shown) // 2
        place = 2 * (number % turns) if turns else 0
        match kind:
            case "regenerate" if turns:
                await self.send(self.shown[: place + 1])
            case "edit" if turns:
                await self.send([*self.shown[:place], f"{self.shown[place]}, or {text}"])
            case "go back" if self.branches:
                self.shown = self.branches[number % len(self.branches)]
                await self.send([*self.shown, text])
            case _:
                await self.send([*self.shown, text])

    async def send(self, said: list[str]) -> None:
        followed = await self.talk.follow(*(f"  {text.replace(' ', '  ')}\n" for text in said))
        self.answers += 1
        answer = f"answer {self.answers}"
        await self.talk.reply(followed, f"<think>hm</think>{answer}")
        self.shown = [*said, answer]
        self.branches.append(self.shown)
        self.nodes |= {tuple(self.shown[:end]) for end in range(1, len(self.shown) + 1)}


@settings(max_examples=60)
@given(moves)
async def test_the_active_branch_equals_the_clients_and_nothing_is_stored_twice(
    made: list[tuple[str, int, str]],
) -> None:
    client = Client(await Talk.start(in_memory_stores()))
    for move in made:
        await client.move(*move)
        assert list(map(gist, await client.talk.shown())) == client.shown
        assert list(map(gist, await client.talk.window())) == client.shown
        stored = await client.talk.shown(include_inactive=True)
        assert len(stored) == len(client.nodes)
        assert await client.talk.counts() == (len(client.shown), len(client.shown) // 2)


@given(st.integers(1, 8), st.data())
def test_a_client_that_leaves_out_the_beginning_goes_on_all_the_same(
    turns: int, data: st.DataObject
) -> None:
    said = [f"{'question' if i % 2 == 0 else 'answer'} {i}" for i in range(2 * turns)]
    stored = Stored(
        [
            a_stored_message(
                place + 1,
                role=Role.ASSISTANT if place % 2 else Role.USER,
                turn_number=place // 2 + 1,
                content=text,
            )
            for place, text in enumerate(said)
        ],
        {},
    )
    start = 2 * data.draw(st.integers(0, turns - 1))
    found = reconcile([*listed(*said[start:]), a_message("user", "next")], stored)
    assert [message.content for message in found.path] == said
    assert [message.content for message in found.unknown] == ["next"]


@given(plain, plain)
def test_blanks_and_reasoning_do_not_make_a_message_different(text: str, thought: str) -> None:
    words = text.split()
    assert gist("\n\t".join(words)) == gist(" ".join(words))
    shown = f"<think>{thought}</think>{text}"
    assert gist(shown) == gist(text)
