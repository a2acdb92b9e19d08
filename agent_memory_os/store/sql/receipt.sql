-- Receipts: what was given out to whom, and what of it was taken back since.

-- name: served: how far each route was given out to a device
SELECT route, origin, lseq FROM served WHERE device = ?

-- name: serve: a route was given out; under another index nobody knows how far it was
INSERT INTO served (device, route, origin, lseq) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (device, route) DO UPDATE SET origin = excluded.origin,
  lseq = iif(served.origin = excluded.origin, max(served.lseq, excluded.lseq), ?5)

-- name: former: devices that were peers once
SELECT device, account, name, said, said_at, removed_at, is_whole FROM former_peers ORDER BY name, device

-- name: dropped: what a device said that it dropped, and the newest number here by then
SELECT object, lseq, at FROM dropped WHERE device = ?

-- name: drop: a device said that it dropped something that was taken back
INSERT INTO dropped (device, object, at, lseq)
SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM records WHERE object = ?2 AND first < 0)
ON CONFLICT (device, object) DO UPDATE SET at = excluded.at, lseq = excluded.lseq

-- name: holds: a device asks about something, so it holds it
DELETE FROM dropped WHERE device = ? AND object = ?

-- name: undone: a device has another index: what it said of what it dropped was of another file
DELETE FROM dropped WHERE device = ?

-- name: to_tell: what this node dropped, and a peer that it had asked is still to be told
SELECT object FROM drops WHERE peer = ? ORDER BY object LIMIT ?

-- name: tell: something is to be told to a peer
INSERT INTO drops (peer, object) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: tried: a peer was told in an answer that may not arrive; it is a few times
UPDATE drops SET tries = tries + 1 WHERE peer = ? AND object = ?

-- name: tried_enough: a peer was told often enough
DELETE FROM drops WHERE peer = ? AND tries >= ?

-- name: told: a peer was told
DELETE FROM drops WHERE peer = ? AND object = ?

-- name: kept: of some objects (a JSON array), those of which a content is here
SELECT DISTINCT object FROM registers
WHERE object IN (SELECT value FROM json_each(?)) AND grp = 'memory.content'

-- name: taken: the memories that were taken back on any route
SELECT DISTINCT object FROM records WHERE first < 0 AND object >= 'mem_'

-- name: standing: the memories that stand on a route with their content
SELECT r.object FROM routes AS t CROSS JOIN records AS r ON r.route = t.id
WHERE t.route = ? AND (r.first IS NULL OR r.first > 0) AND r.object >= 'mem_'

-- name: places: where some memories (a JSON array) stand or stood; below zero where they stood
SELECT t.route, r.object, r.lseq, coalesce(r.first, r.lseq)
FROM records AS r JOIN routes AS t ON t.id = r.route
WHERE r.object IN (SELECT value FROM json_each(?))

-- name: told_of: whether registers after a number share or take back, and whether any takes back
SELECT count(*) > 0, coalesce(max(is_ending), 0) FROM (
  SELECT json_extract(value, '$.length') % 2 = 0 OR json_extract(value, '$.act') = 'remove'
    OR json_extract(value, '$.state') IN ('removed', 'revoked') OR grp LIKE '%.narrow' AS is_ending
  FROM registers
  WHERE lseq > ? AND grp NOT IN ('memory.content', 'link', 'agent')
)

-- name: owned: of some memories (a JSON array), those of an agent of this account
SELECT m.id FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.id IN (SELECT value FROM json_each(?1)) AND a.agent = ?2
UNION ALL
SELECT t.id FROM tombstones AS t JOIN agents AS a ON a.id = t.owner
WHERE t.id IN (SELECT value FROM json_each(?1)) AND a.agent = ?2

-- name: begun: memories whose id begins so, that are here or were erased, by their owners
SELECT m.id, a.agent FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.id >= ?1 AND m.id < ?1 || '~'
UNION ALL
SELECT t.id, a.agent FROM tombstones AS t JOIN agents AS a ON a.id = t.owner
WHERE t.id >= ?1 AND t.id < ?1 || '~'

-- name: unsettled: whether anything is still to be placed or judged again
SELECT EXISTS (SELECT 1 FROM stale)
  OR (SELECT placed FROM node) < (SELECT coalesce(max(lseq), 0) FROM registers)
