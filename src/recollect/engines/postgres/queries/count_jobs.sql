-- How many jobs of all owners wait to be taken.
SELECT count(*) FROM jobs WHERE scheduled_at <= $1
