-- The indexed entries as somebody would keep them by hand.
CREATE TABLE public.by_hand AS
SELECT owner_id, number AS id, text, vector::public.halfvec(384) AS vector FROM recollect.recall_entries;
CREATE INDEX ON public.by_hand (owner_id);
ANALYZE public.by_hand;
