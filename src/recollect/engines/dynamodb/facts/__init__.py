"""Facts about users in DynamoDB."""
