"""Sessions, messages, turns and branches in DynamoDB."""
