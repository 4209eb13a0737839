"""The audit log: operations are recorded, and what was recorded is read, checked and pruned."""
