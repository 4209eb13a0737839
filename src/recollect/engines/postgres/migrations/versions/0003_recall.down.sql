-- Take recall away again. The extension stays: others may use it.

DROP TABLE recall_removals, recall_models, recall_owners, recall_words, recall_entries;
DROP FUNCTION count_added_entries(), count_removed_entries(), count_embedded_entries();
DROP POLICY worker_names ON owners;
DROP POLICY worker_finds_due ON turns;
DROP INDEX turns_to_index;
ALTER TABLE turns DROP COLUMN index_due;
