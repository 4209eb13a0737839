-- Some owners of whom a model has not embedded all entries, and who they are.
SELECT outdated.owner_id, owner.tenant_id, owner.user_id
FROM (
    (SELECT owner_id FROM recall_models WHERE model < $1 LIMIT $2)
    UNION
    (SELECT owner_id FROM recall_models WHERE model > $1 LIMIT $2)
) AS outdated
JOIN owners AS owner ON owner.owner_id = outdated.owner_id
