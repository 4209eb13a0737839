"""Archives of expired sessions: in a folder, or in a bucket of S3."""
