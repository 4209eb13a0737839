"""Background work in DynamoDB."""
