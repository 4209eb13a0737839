-- How much still has to go from another store.
SELECT count(*) FROM recall_removals WHERE kept_in = $1
