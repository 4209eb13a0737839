-- The turns of a session that have failed, or of which is written what they follow.
-- Not joined to the messages: for each of them the planner would read all turns of the session.
SELECT turn_number, parent_sequence, status FROM turns
WHERE owner_id = $1
  AND session_id = $2
  AND (parent_sequence IS NOT NULL OR status = 'failed')
