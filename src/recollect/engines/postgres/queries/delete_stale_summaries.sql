-- Delete the summaries of these sessions that tell of a message that is gone.
DELETE FROM summaries AS summary
USING unnest($2::uuid[], $3::bigint[]) AS gone (session_id, first_gone)
WHERE summary.owner_id = $1
  AND summary.session_id = gone.session_id
  AND summary.last_sequence >= gone.first_gone
