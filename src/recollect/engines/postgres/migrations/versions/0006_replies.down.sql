DROP FUNCTION turn_answered(uuid, uuid, uuid);
