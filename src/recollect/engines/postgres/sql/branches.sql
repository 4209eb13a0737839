-- Branches and turns: which messages are active, what turns follow and how far they have come.

-- name: branch_messages
-- The messages of a session in all branches, or in the active one, the last one first.
SELECT * FROM messages
WHERE owner_id = :owner_id AND session_id = :session_id AND (is_active OR NOT :only_active)
ORDER BY sequence DESC
LIMIT :limit

-- name: branch_turns
-- The turns of a session that have failed, or of which is written what they follow.
-- Not joined to the messages: for each of them the planner would read all turns of the session.
SELECT turn_number, parent_sequence, status FROM turns
WHERE owner_id = :owner_id
  AND session_id = :session_id
  AND (parent_sequence IS NOT NULL OR status = 'failed')

-- name: write_parents
-- Write down which messages some turns of a session follow.
UPDATE turns AS turn SET parent_sequence = given.parent_sequence
FROM unnest(:turn_numbers::bigint[], :parent_sequences::bigint[]) AS given (turn_number, parent_sequence)
WHERE turn.owner_id = :owner_id
  AND turn.session_id = :session_id
  AND turn.turn_number = ANY(:turn_numbers::bigint[])  -- else all turns would be read
  AND turn.turn_number = given.turn_number

-- name: settle_turns
-- Say of turns that changed branches which are answered and which one is open again.
UPDATE turns
SET status = CASE WHEN turn_number = :open_turn THEN 'pending' ELSE 'complete' END,
    started_at = CASE WHEN turn_number = :open_turn THEN greatest(started_at, :now) ELSE started_at END
WHERE owner_id = :owner_id
  AND session_id = :session_id
  AND turn_number = ANY(:answered_turns::bigint[] || :open_turn::bigint)

-- name: switch_messages
-- Make some messages of a session active and others inactive; recall learns of it.
WITH switched AS (
    UPDATE messages SET is_active = message_id = ANY(:shown::uuid[])
    WHERE owner_id = :owner_id
      AND session_id = :session_id
      AND (message_id = ANY(:shown::uuid[]) OR message_id = ANY(:hidden::uuid[]))
    RETURNING turn_number
), hidden AS (
    DELETE FROM recall_entries
    WHERE owner_id = :owner_id AND session_id = :session_id AND message_ids && :hidden::uuid[]
)
UPDATE turns SET index_due = pg_current_xact_id()::text::bigint
WHERE owner_id = :owner_id
  AND session_id = :session_id
  AND EXISTS (SELECT FROM switched WHERE switched.turn_number = turns.turn_number)

-- name: siblings_of_reply
-- The number of a question, and the active replies that a new one takes the place of.
SELECT
    question.sequence,
    array(
        SELECT reply.message_id FROM messages AS reply
        WHERE reply.owner_id = :owner_id
          AND reply.session_id = :session_id
          AND reply.turn_number = question.turn_number
          AND reply.role = 'assistant'
          AND reply.is_active
    ) AS replies
FROM (
    -- Found by its id first: by the session, all its messages would be read.
    SELECT * FROM messages WHERE owner_id = :owner_id AND message_id = :question_id OFFSET 0
) AS question
WHERE question.session_id = :session_id AND question.role = 'user'

-- name: turn_of_message
-- The turn that a message belongs to, and whether it is on the active branch, by now and until we end.
-- The session is held first, as by everybody who switches branches. The message is, too: of rows that
-- it locks a statement reads the newest version, of others the one from before it had to wait.
SELECT message.turn_number, message.is_active
FROM sessions AS session
JOIN messages AS message
  ON message.owner_id = :owner_id AND message.session_id = session.session_id
WHERE session.owner_id = :owner_id AND session.session_id = :session_id AND message.message_id = :message_id
FOR NO KEY UPDATE OF session
FOR SHARE OF message

-- name: get_turn
-- A turn's status with each of its messages, oldest first, in a session that has not expired.
SELECT
    turn.status, message.message_id, message.session_id, message.sequence, message.turn_number, message.role,
    message.content, message.metadata, message.details, message.created_at,
    message.is_active
FROM turns AS turn
JOIN messages AS message
    ON message.owner_id = :owner_id
    AND message.session_id = turn.session_id
    AND message.turn_number = turn.turn_number
WHERE turn.owner_id = :owner_id
  AND turn.session_id = :session_id
  AND turn.turn_number = :turn_number
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
  )
ORDER BY message.sequence

-- name: turn_status
-- How far a turn has come, in a session that has not expired.
SELECT turn.status FROM turns AS turn
WHERE turn.owner_id = :owner_id
  AND turn.session_id = :session_id
  AND turn.turn_number = :turn_number
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
  )

-- name: unanswered_turns
-- Which of these turns of a session are pending or failed.
SELECT turn_number FROM turns
WHERE owner_id = :owner_id
  AND session_id = :session_id
  AND turn_number = ANY(:turn_numbers::bigint[])
  AND status <> 'complete'

-- name: fail_turn
-- Mark a turn as failed unless it has been answered; whether there is such a turn.
UPDATE turns AS turn
SET status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END,
    index_due = pg_current_xact_id()::text::bigint
WHERE turn.owner_id = :owner_id
  AND turn.session_id = :session_id
  AND turn.turn_number = :turn_number
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
  )
RETURNING true

-- name: fail_abandoned
-- Mark the turns of all owners as failed that have waited for their answers since then; how many.
WITH failed AS (
    UPDATE turns SET status = 'failed', index_due = pg_current_xact_id()::text::bigint
    WHERE status = 'pending' AND started_at <= :started_by
    RETURNING 1
)
SELECT count(*) FROM failed

-- name: delete_empty_turns
-- Delete the turns of these sessions of which no message is left.
DELETE FROM turns AS turn
WHERE turn.owner_id = :owner_id
  AND turn.session_id = ANY(:session_ids::uuid[])
  AND NOT EXISTS (
    SELECT FROM messages AS message
    WHERE message.owner_id = :owner_id
      AND message.session_id = turn.session_id
      AND message.turn_number = turn.turn_number
  )
