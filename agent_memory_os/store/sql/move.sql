-- What is moved from one agent to another, or from one team to another: the operator's view.

-- name: chosen: ids of what is to be moved from one agent, in the order of their rows
SELECT m.id FROM memories AS m
WHERE {{chosen}} AND m.rowid > coalesce((SELECT rowid FROM memories WHERE id = :after), 0)
ORDER BY m.rowid LIMIT :limit

-- name: scopes: what some audiences are (a JSON array)
SELECT scope, kind, ref FROM scopes WHERE scope IN (SELECT value FROM json_each(?)) ORDER BY scope

-- name: newer: what supersedes a memory: what its id is made of, and whose it is
SELECT m.nonce, a.agent FROM links AS l
JOIN memories AS m ON m.rowid = l.src JOIN agents AS a ON a.id = m.owner
WHERE l.relation = 'supersedes' AND l.dst = (SELECT rowid FROM memories WHERE id = ?)

-- name: older: what a memory supersedes, and whose that is
SELECT m.id, a.agent FROM links AS l
JOIN memories AS m ON m.rowid = l.dst JOIN agents AS a ON a.id = m.owner
WHERE l.relation = 'supersedes' AND l.src = (SELECT rowid FROM memories WHERE id = ?)

-- name: links: every link of a memory, whatever its other end is
SELECT s.id, d.id, l.relation, l.weight, l.asserted_by, other.agent FROM links AS l
JOIN memories AS s ON s.rowid = l.src JOIN memories AS d ON d.rowid = l.dst
JOIN agents AS other ON other.id = CASE WHEN s.id = :id THEN d.owner ELSE s.owner END
WHERE (l.src = (SELECT rowid FROM memories WHERE id = :id)
    OR l.dst = (SELECT rowid FROM memories WHERE id = :id))
ORDER BY l.link

-- name: granted: this account's memories that one audience reads, in the order of their rows
SELECT m.id, a.agent FROM grants AS g
JOIN memories AS m ON m.rowid = g.memory
JOIN agents AS a ON a.id = m.owner JOIN node AS n ON n.account = a.account
WHERE g.until IS NULL AND g.scope = (SELECT id FROM scopes WHERE scope = :scope)
  AND m.state = 'active'
  AND g.memory > coalesce((SELECT rowid FROM memories WHERE id = :after), 0)
ORDER BY g.memory LIMIT :limit
