"""The audit log, erasures, exports and imports in DynamoDB."""
