"""What is stored of what is said, by the policies."""

from uuid import UUID

from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.identity.permissions import UNKNOWN, tables_of_answer
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.privacy.results import ResultPolicy
from recollect.services.redaction import Redaction
from recollect.services.tenants.policies import TenantPolicies
from recollect.sql_reading import SqlglotReader
from support.tables import for_each

SCOPE = Scope(tenant="acme", user="alice")
ROWS = [{"region": "North", "sales": 98765}]


def answer(**details: object) -> NewMessage:
    return NewMessage(
        message_id=UUID(int=1),
        role=Role.ASSISTANT,
        content="North: 98765",
        details=AnswerDetails(**details),  # type: ignore[arg-type]  # its fields
    )


@for_each(
    ("policy", "stored"),
    [
        ("none", None),
        ("summary", {"columns": ["region", "sales"], "row_count": 1}),
        ("rows:1", {"columns": ["region", "sales"], "row_count": 1, "rows": ROWS}),
    ],
)
async def test_of_every_answer_only_that_part_of_the_result_is_stored(
    policy: str, stored: object
) -> None:
    redaction = Redaction(
        tenants=TenantPolicies.of_server(Policies(results=ResultPolicy.parse(policy)))
    )

    (message,) = await redaction.messages(
        SCOPE, [answer(sql_query="SELECT 1", execution_result=ROWS)]
    )

    assert message.details.execution_result == stored
    assert (message.content, message.details.sql_query) == ("North: 98765", "SELECT 1")


async def test_an_answer_draws_on_an_unknown_table_still_when_its_result_is_not_stored() -> None:
    redaction = Redaction(
        tenants=TenantPolicies.of_server(Policies(results=ResultPolicy.parse("none")))
    )

    (message,) = await redaction.messages(SCOPE, [answer(execution_result=ROWS)])

    assert message.details.execution_result is None
    assert tables_of_answer(message.details, SqlglotReader().tables_in) == (UNKNOWN,)
