-- Upkeep: sweeping what was erased, checking the file against itself, counting.

-- name: texts: every text that a memory holds now, with its index terms
SELECT m.content, m.summary, m.tags, m.source, m.author, m.session, m.editor, m.reason, d.terms
FROM memories AS m LEFT JOIN documents AS d ON d.memory = m.rowid WHERE m.rowid = ?

-- name: past_values: what a memory held before
SELECT value FROM memory_versions WHERE memory = ?

-- name: mark_unswept: one more erased memory may have bytes in the file
UPDATE node SET unswept = unswept + 1

-- name: unswept: how many erased memories may have bytes in the file
SELECT unswept FROM node

-- name: settle: some of them have none any more
UPDATE node SET unswept = max(0, unswept - ?)
