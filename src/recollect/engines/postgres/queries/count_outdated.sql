-- How many entries of all owners a model has not embedded.
SELECT coalesce(sum(entries), 0)::bigint FROM recall_models WHERE model <> $1
