-- The lexical index: terms under scopes, and what it holds of each memory.

-- name: source: what the index should hold of a memory: state, owner's scope, text parts
SELECT m.state, s.id, m.content, m.summary, m.tags
FROM memories AS m
JOIN scopes AS s ON s.kind = 'agent' AND s.ref = m.owner
WHERE m.rowid = ?

-- name: granted: the scopes that a memory is granted to
SELECT scope FROM grants WHERE memory = ? AND until IS NULL

-- name: held: what the index holds of a memory
SELECT scopes, terms FROM documents WHERE memory = ?

-- name: enter: put a memory's terms under its scopes
INSERT INTO terms (rowid, text) VALUES (?, ?)

-- name: leave: take exactly what was entered out again
INSERT INTO terms (terms, rowid, text) VALUES ('delete', ?, ?)

-- name: keep: remember what was entered
INSERT INTO documents (memory, scopes, terms) VALUES (?, ?, ?)

-- name: keep_again: remember what was entered instead
UPDATE documents SET scopes = ?, terms = ? WHERE memory = ?

-- name: owner_scope: the scope under which an agent's own memories are entered
SELECT id FROM scopes WHERE kind = 'agent' AND ref = ?

-- name: drop: remember that nothing is entered
DELETE FROM documents WHERE memory = ?

-- name: count: keep a scope's totals
UPDATE scopes SET documents = documents + ?, words = words + ? WHERE id = ?

-- name: filled: of a set of scopes, those that hold memories: how many, and how many index terms
SELECT id, documents, words FROM scopes
WHERE id IN (SELECT value FROM json_each(?)) AND documents > 0

-- name: frequency: how many memories an expression matches
SELECT count(*) FROM terms WHERE terms MATCH ?

-- name: matches: the newest memories that an expression matches
SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?

-- name: shown: the newest memories that an expression matches and that pass gate and filters
SELECT m.rowid FROM memories AS m
WHERE m.rowid IN (SELECT rowid FROM terms WHERE terms MATCH :expression)
  AND {{gate}} AND {{current}} AND {{filters}}
ORDER BY m.rowid DESC LIMIT :limit

-- name: check: compare the index's own structure
INSERT INTO terms (terms) VALUES ('integrity-check')

-- name: sweep: write the whole index anew, so that nothing deleted is left in it
INSERT INTO terms (terms) VALUES ('optimize')

-- name: merge: write some pages of the index anew; a negative number begins with all of it
INSERT INTO terms (terms, rank) VALUES ('merge', ?)
