-- How many turns of all owners wait to be indexed.
SELECT count(*) FROM turns WHERE index_due IS NOT NULL
