-- Take the modes of users away again, and the workers' view of turns.

DROP POLICY worker_fails_abandoned ON turns;
DROP POLICY worker_sees_abandoned ON turns;
DROP TABLE states;
