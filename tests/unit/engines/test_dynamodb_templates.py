"""The files in deploy/dynamodb make the table of the engine, and allow what it does."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import recollect.engines.dynamodb as engine
from recollect.engines.dynamodb.table.keys import (
    BY_TIME_INDEX,
    LAST_ACCESSED_INDEX,
    PARTITION,
    keys_table,
)
from recollect.engines.dynamodb.table.provisioning import (
    INDEXES,
    KEY_INDEXES,
    TTL_ATTRIBUTE,
    Indexes,
    table_definition,
)

FOLDER = Path(__file__).parents[3] / "deploy/dynamodb"
DEFINITION = table_definition("ConversationMemory")
KEYS_DEFINITION = table_definition("ConversationMemory-keys", indexes=KEY_INDEXES)
ITEM_ACTIONS = {
    "TransactWriteItems": ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
}
"""What a role needs for an operation that is no action of its own."""


@pytest.fixture(scope="module")
def stack() -> Any:  # noqa: ANN401  # YAML
    return yaml.safe_load((FOLDER / "cloudformation.yaml").read_text(encoding="utf-8"))


def allowed_in(policy: Any) -> set[str]:  # noqa: ANN401  # JSON
    (statement,) = policy["Statement"]
    return {action.removeprefix("dynamodb:") for action in statement["Action"]}


@pytest.mark.parametrize(
    ("resource", "definition"), [("Table", DEFINITION), ("KeyTable", KEYS_DEFINITION)]
)
def test_cloudformation_makes_the_tables_of_the_engine_and_keeps_them(
    stack: Any,  # noqa: ANN401  # YAML
    resource: str,
    definition: Any,  # noqa: ANN401  # JSON
) -> None:
    table = stack["Resources"][resource]
    properties = table["Properties"]
    for name in (
        *("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes"),
        *("BillingMode", "DeletionProtectionEnabled"),
    ):
        assert properties[name] == definition[name]
    assert {table["DeletionPolicy"], table["UpdateReplacePolicy"]} == {"Retain"}
    assert properties["SSESpecification"]["Fn::If"][1]["SSEType"] == "KMS"


def test_cloudformation_names_the_tables_and_recovers_no_keys(stack: Any) -> None:  # noqa: ANN401
    assert stack["Parameters"]["TableName"]["Default"] == DEFINITION["TableName"]
    properties = stack["Resources"]["Table"]["Properties"]
    ttl = properties["TimeToLiveSpecification"]
    assert ttl == {"AttributeName": TTL_ATTRIBUTE, "Enabled": True}
    recovery = properties["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}}
    keys = stack["Resources"]["KeyTable"]["Properties"]
    assert keys["TableName"] == {"Fn::Sub": keys_table("${TableName}")}
    assert "PointInTimeRecoverySpecification" not in keys


@pytest.mark.parametrize(
    ("resource", "definition", "indexes"),
    [("memory", DEFINITION, INDEXES), ("keys", KEYS_DEFINITION, KEY_INDEXES)],
)
def test_terraform_makes_the_tables_of_the_engine_and_keeps_them(
    resource: str,
    definition: Any,  # noqa: ANN401  # JSON
    indexes: Indexes,
) -> None:
    of_table, blocks = terraform(resource)
    keys = [one["AttributeName"] for one in definition["KeySchema"]]
    assert [of_table["hash_key"], of_table["range_key"]] == keys
    assert of_table["billing_mode"] == definition["BillingMode"]
    assert of_table["deletion_protection_enabled"] == "true"
    assert [one for kind, one in blocks if kind == "attribute"] == [
        {"name": one["AttributeName"], "type": one["AttributeType"]}
        for one in definition["AttributeDefinitions"]
    ]
    assert [one for kind, one in blocks if kind == "global_secondary_index"] == [
        {
            "name": index,
            "hash_key": partition,
            "range_key": sort,
            "projection_type": "KEYS_ONLY",
        }
        for index, (partition, sort) in indexes.items()
    ]
    named = dict(blocks)
    assert named["lifecycle"] == {"prevent_destroy": "true"}
    assert "kms_key_arn" in named["server_side_encryption"]


def test_terraform_names_the_tables_and_recovers_no_keys() -> None:
    named = dict(terraform("memory")[1])
    assert named["ttl"] == {"attribute_name": TTL_ATTRIBUTE, "enabled": "true"}
    assert named["point_in_time_recovery"] == {"enabled": "var.point_in_time_recovery"}
    of_table, blocks = terraform("keys")
    assert of_table["name"] == keys_table("${var.table_name}")
    assert "point_in_time_recovery" not in dict(blocks)


def terraform(resource: str) -> tuple[dict[str, str], list[tuple[str, dict[str, str]]]]:
    """The attributes of a table, and its blocks."""
    text = (FOLDER / "main.tf").read_text(encoding="utf-8")
    body = text[text.index(f'resource "aws_dynamodb_table" "{resource}"') :]
    body = body[: body.index("\n}\n")]
    blocks = [
        (kind, dict(re.findall(r'(\w+)\s*=\s*"?([^"\n]+)"?', block)))
        for kind, block in re.findall(r"^  (\w+) \{\n(.*?)^  \}", body, re.MULTILINE | re.DOTALL)
    ]
    return dict(re.findall(r'^  (\w+)\s*= "?([^"\n]+)"?$', body, re.MULTILINE)), blocks


def test_the_policy_of_servers_allows_what_the_engine_asks_for_and_nothing_else(stack: Any) -> None:  # noqa: ANN401
    sources = [
        path.read_text(encoding="utf-8")
        for path in Path(engine.__path__[0]).rglob("*.py")
        if path.name != "provisioning.py"
    ]
    calls = {name for text in sources for name in re.findall(r'(?:call|_pages)\(\s*"(\w+)"', text)}
    needed = {action for name in calls for action in ITEM_ACTIONS.get(name, (name,))}
    # Opening the table asks for its state.
    needed |= {"DescribeTable", "DescribeTimeToLive"}
    policy = json.loads((FOLDER / "iam-server.json").read_text(encoding="utf-8"))
    assert allowed_in(policy) == needed
    tables = [
        part for name in ("${table}", keys_table("${table}")) for part in (name, f"{name}/index/*")
    ]
    assert policy["Statement"][0]["Resource"] == tables
    of_stack = stack["Resources"]["ServerPolicy"]["Properties"]["PolicyDocument"]
    assert allowed_in(of_stack) == needed
    assert len(of_stack["Statement"][0]["Resource"]) == len(tables)


def test_the_policy_for_one_user_reads_one_partition_alone() -> None:
    policy = json.loads((FOLDER / "iam-one-user.json").read_text(encoding="utf-8"))
    assert allowed_in(policy) == {"BatchGetItem", "GetItem", "Query"}
    (statement,) = policy["Statement"]
    tag = "${aws:PrincipalTag/recollectOwner}"
    assert statement["Condition"] == {
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [tag]},
        # Of no keys at all, the condition above would hold.
        "Null": {"dynamodb:LeadingKeys": "false"},
    }
    indexes = {name.rpartition("/")[2] for name in statement["Resource"] if "/index/" in name}
    assert indexes == {LAST_ACCESSED_INDEX, BY_TIME_INDEX}
    assert all(INDEXES[name][0] == PARTITION for name in indexes)
