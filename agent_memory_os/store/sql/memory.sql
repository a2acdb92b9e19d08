-- Memories: the view of content, life and grant registers, and how readers find them.

-- name: place: where a memory stands in the view, for the writer
SELECT rowid, owner, life, stamp, version, state, updated_at FROM memories WHERE id = ?

-- name: update: the newest content of a memory
UPDATE memories SET
  content = ?, created_at = ?, updated_at = ?, type = ?, summary = ?, tags = ?, source = ?,
  author = ?, session = ?, position = ?, event_at = ?, confidence = ?, importance = ?, pinned = ?,
  valid_from = ?, valid_to = ?, expires_at = ?, half_life_days = ?, editor = ?, reason = ?,
  life = ?, stamp = ?, version = ?, same = ?, changed = ?
WHERE rowid = ?

-- name: restamp: the same content under a newer stamp, perhaps of another life
UPDATE memories SET stamp = ?1, life = ?2, changed = iif(life = ?2, changed, ?3) WHERE rowid = ?4

-- name: set_state: forgotten or active
UPDATE memories SET state = ?, forgotten_at = ? WHERE rowid = ?

-- name: keep_version: a version that an edit superseded
INSERT OR REPLACE INTO memory_versions (memory, version, value, since, until) VALUES (?, ?, ?, ?, ?)

-- name: last_row: the row of the memory that was added last
SELECT coalesce(max(rowid), 0) FROM memories

-- name: grant: a scope comes into the audience
INSERT INTO grants (memory, scope, since, granted_by) VALUES (?, ?, ?, ?)

-- name: revoke: a scope leaves the audience
UPDATE grants SET until = ?, revoked_by = ? WHERE memory = ? AND scope = ? AND until IS NULL

-- name: last_grant: when a scope last came into the audience
SELECT max(since) FROM grants WHERE memory = ? AND scope = ?

-- name: last_grant_change: when the audience of a memory last changed
SELECT coalesce(max(max(since, coalesce(until, since))), 0) FROM grants
WHERE memory = (SELECT rowid FROM memories WHERE id = ?)

-- name: erase: the memory itself; versions, grants, links and documents go with it
DELETE FROM memories WHERE rowid = ?

-- name: clear_shelf: what concurrent edits of a memory lost
DELETE FROM shelf WHERE memory = (SELECT id FROM memories WHERE rowid = ?)

-- name: bury: what is left of an erased memory
INSERT OR REPLACE INTO tombstones (id, owner, nonce, at)
SELECT id, owner, nonce, ? FROM memories WHERE rowid = ?

-- name: tombstone: whether a memory was erased here
SELECT 1 FROM tombstones WHERE id = ?

-- name: scope_row: the row of a scope
SELECT id FROM scopes WHERE scope = ?

-- name: by_row: one memory whatever its state, for the writer
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner WHERE m.rowid = ?

-- name: nonce: what a memory's id commits to
SELECT nonce FROM memories WHERE id = ?

-- name: alike: whether any memory has this hash of its words and circumstances
SELECT 1 FROM memories WHERE same = ? LIMIT 1

-- name: same: memories of one owner with the same words and circumstances
SELECT m.rowid FROM memories AS m WHERE {{alike}} AND {{current}} ORDER BY m.rowid

-- name: same_forgotten: the same of those that are forgotten
SELECT m.rowid FROM memories AS m WHERE {{alike}} AND m.state = 'forgotten' ORDER BY m.rowid

-- name: admitted: of the rows :rows, those that may be read and are shown now
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.rowid IN (SELECT value FROM json_each(:rows)) AND {{gate}} AND {{current}}

-- name: rows_of: of the rows :rows, those that may be read, whatever their state
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.rowid IN (SELECT value FROM json_each(:rows)) AND {{gate}}

-- name: get: one memory by its id, whatever its state
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.id = :id AND {{gate}}

-- name: prefix: ids that begin with some characters: of shown ones, and of one's own of any state
SELECT m.id FROM memories AS m WHERE m.id >= :low AND m.id < :high AND {{gate}}
  AND ({{current}} OR :gate_all OR m.owner = :gate_agent)
LIMIT 2

-- name: by_id: readable memories in the order of their ids, with what the ids commit to
SELECT {{columns}}, m.nonce FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE {{gate}} AND m.state = 'active' AND m.id > :after ORDER BY m.id LIMIT :limit

-- name: set_version: how many versions a memory has had, where its history came with it
UPDATE memories SET version = max(version, ?) WHERE rowid = ?

-- name: dated: rows of a span of time (of their event, else of creation), newest first
SELECT m.rowid FROM memories AS m
WHERE {{instant_event}} >= :start AND {{instant_event}} < :end
  AND {{gate}} AND {{current}} AND {{filters}}
ORDER BY {{instant_event}} DESC, m.rowid DESC LIMIT :limit

-- name: pinned: pinned rows, newest first
SELECT m.rowid FROM memories AS m
WHERE m.pinned = 1 AND {{gate}} AND {{current}} AND {{filters}}
ORDER BY m.created_at DESC, m.rowid DESC LIMIT :limit

-- name: session_rows: the memories at some places of sessions, through the gate
SELECT m.rowid FROM json_each(:places) AS p
JOIN memories AS m ON m.session = json_extract(p.value, '$[1]')
  AND m.position = json_extract(p.value, '$[2]') AND m.owner = json_extract(p.value, '$[0]')
WHERE {{gate}} AND {{current}}

-- name: contexts: of the rows :rows, what ranking reads of those that pass the gate and the filters
SELECT m.rowid, m.owner, m.session, m.position, m.author, coalesce(m.event_at, m.created_at),
  CASE WHEN length(m.content) > 2000
    THEN substr(m.content, 1, 1000) || ' ' || substr(m.content, -1000) ELSE m.content END,
  d.terms
FROM memories AS m JOIN documents AS d ON d.memory = m.rowid
WHERE m.rowid IN (SELECT value FROM json_each(:rows)) AND {{gate}} AND {{current}} AND {{filters}}
ORDER BY m.rowid

-- name: audiences: the grants that hold on some rows
SELECT g.memory, s.scope, s.kind, s.ref FROM grants AS g JOIN scopes AS s ON s.id = g.scope
WHERE g.memory IN (SELECT value FROM json_each(?)) AND g.until IS NULL

-- name: scope_name: what people call an agent, a team or a project
SELECT CASE :kind
  WHEN 'agent' THEN (SELECT name FROM agents WHERE id = :ref)
  WHEN 'team' THEN (SELECT name FROM teams WHERE id = :ref)
  WHEN 'project' THEN (
    SELECT t.name || '/' || p.name FROM projects AS p JOIN teams AS t ON t.id = p.team
    WHERE p.id = :ref
  )
END

-- name: versions: the superseded versions of a memory, oldest first
SELECT version, value, since, until FROM memory_versions
WHERE memory = (SELECT rowid FROM memories WHERE id = ?) ORDER BY version

-- name: text: the words of a memory, for the writer
SELECT content FROM memories WHERE id = ?

-- name: grant_spans: from when until when each scope was in the audience
SELECT s.scope, s.kind, s.ref, g.since, g.until, g.granted_by, g.revoked_by
FROM grants AS g JOIN scopes AS s ON s.id = g.scope
WHERE g.memory = (SELECT rowid FROM memories WHERE id = ?) ORDER BY g.since, s.scope

-- name: owners: whose memories are here, how many are shown and forgotten, the last change
SELECT a.agent, a.name,
  count(*) FILTER (WHERE {{current}}),
  count(*) FILTER (WHERE m.state = 'forgotten' AND (:gate_all OR m.owner = :gate_agent)),
  max(m.updated_at) FILTER (WHERE {{current}})
FROM memories AS m JOIN agents AS a ON a.id = m.owner WHERE {{gate}}
GROUP BY a.id HAVING count(*) FILTER (WHERE {{current}} OR m.owner = :gate_agent OR :gate_all) > 0
ORDER BY 3 DESC, a.name

-- name: reached: how many memories an agent finds, its own ones among them
SELECT documents FROM scopes WHERE scope = 'agent:' || ?

-- name: owned: how many memories an agent owns that are not forgotten
SELECT count(*) FROM memories
WHERE owner = (SELECT id FROM agents WHERE agent = ?) AND state = 'active'

-- name: ids_of_owner: the memories of one owner that are not forgotten
SELECT id FROM memories
WHERE owner = (SELECT id FROM agents WHERE agent = ?) AND state = 'active' ORDER BY rowid LIMIT ?

-- name: counts: how many memories are shown, expired and forgotten
SELECT
  count(*) FILTER (WHERE {{current}}),
  count(*) FILTER (WHERE m.state = 'active' AND NOT {{current}}),
  count(*) FILTER (WHERE m.state = 'forgotten' AND (:gate_all OR m.owner = :gate_agent)),
  count(*) FILTER (WHERE {{current}} AND m.pinned = 1)
FROM memories AS m WHERE {{gate}}

-- name: counts_by_type: how many of each type are shown
SELECT m.type, count(*) FROM memories AS m WHERE {{gate}} AND {{current}}
GROUP BY m.type ORDER BY count(*) DESC, m.type

-- name: overdue: memories that were forgotten before an instant
SELECT id FROM memories WHERE state = 'forgotten' AND forgotten_at <= ? ORDER BY forgotten_at LIMIT ?

-- name: keep_value: what content registers say, before the row says something else
UPDATE registers SET value = ?1
WHERE object = ?2 AND grp = 'memory.content' AND value IS NULL AND digest <> ?3

-- name: is_forgotten: whether a memory that has just been shown was forgotten
SELECT state = 'forgotten' FROM memories WHERE rowid = ?
