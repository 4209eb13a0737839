"""An engine on Amazon DynamoDB: one table for everything, partitioned by owner."""
