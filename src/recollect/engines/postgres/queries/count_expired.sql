-- How many sessions of all owners have expired.
SELECT count(*) FROM sessions WHERE expires_at <= $1
