-- By hand: an owner's nearest entries.
SELECT id, text FROM public.by_hand WHERE owner_id = $1 ORDER BY vector <=> $2 LIMIT $3
