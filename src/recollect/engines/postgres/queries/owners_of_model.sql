-- Whose entries a model has embedded.
SELECT owner_id FROM recall_models WHERE model = $1 AND entries > 0
