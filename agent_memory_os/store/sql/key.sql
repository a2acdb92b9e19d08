-- Keys of the API, and what was used through them.

-- name: add: a new key
INSERT INTO keys (id, name, kind, agent, hash, created_at, expires_at,
  max_requests, max_writes, max_bytes, max_memories)
VALUES (:id, :name, :kind, (SELECT id FROM agents WHERE agent = :agent), :hash, :created_at,
  :expires_at, :requests, :writes, :bytes, :memories)

-- name: by_id: a key with its hash, and whether its agent still acts
SELECT k.id, k.name, k.kind, a.agent, coalesce(a.name, ''), k.created_at, k.expires_at,
  k.last_used_at, k.revoked_at, k.max_requests, k.max_writes, k.max_bytes, k.max_memories,
  k.hash, coalesce(a.state, 'active')
FROM keys AS k LEFT JOIN agents AS a ON a.id = k.agent
WHERE k.id = ?

-- name: every: all keys, the newest first
SELECT k.id, k.name, k.kind, a.agent, coalesce(a.name, ''), k.created_at, k.expires_at,
  k.last_used_at, k.revoked_at, k.max_requests, k.max_writes, k.max_bytes, k.max_memories,
  k.hash, coalesce(a.state, 'active')
FROM keys AS k LEFT JOIN agents AS a ON a.id = k.agent
ORDER BY k.created_at DESC, k.id

-- name: renew: another secret for the same key
UPDATE keys SET hash = ?, expires_at = ? WHERE id = ?

-- name: revoke: a key that opens nothing any more
UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL

-- name: touch: when a key was last used
UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?

-- name: use: what was used on a day
INSERT INTO usage (day, key, agent, requests, writes, bytes)
VALUES (?, ?, coalesce((SELECT id FROM agents WHERE agent = ?), 0), ?, ?, ?)
ON CONFLICT (day, key, agent) DO UPDATE SET requests = requests + excluded.requests,
  writes = writes + excluded.writes, bytes = bytes + excluded.bytes

-- name: used: what was used since a day, by day, key and agent: all of it, or an agent's own
SELECT u.day, coalesce(k.name, u.key), coalesce(a.name, ''), a.agent, (
    SELECT json_group_array(name) FROM (
      SELECT DISTINCT t.name FROM memberships AS x
      JOIN scopes AS s ON s.id = x.scope AND s.kind = 'team'
      JOIN teams AS t ON t.id = s.ref AND t.state = 'active'
      WHERE x.agent = u.agent ORDER BY t.name
    )
  ), u.requests, u.writes, u.bytes
FROM usage AS u LEFT JOIN keys AS k ON k.id = u.key LEFT JOIN agents AS a ON a.id = u.agent
WHERE u.day >= :day AND (:all OR (a.agent = :agent AND a.state = 'active'))
ORDER BY u.day, 2, 3

-- name: used_bytes: what a key was sent on a day
SELECT coalesce(sum(bytes), 0) FROM usage WHERE day = ? AND key = ?

-- name: is_there: whether the file is of a version that has keys
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'keys'

-- name: drop: no key
DELETE FROM keys

-- name: put: a key of another file, as it is there, where its agent is known here
INSERT INTO keys (id, name, kind, agent, hash, created_at, expires_at, last_used_at, revoked_at,
  max_requests, max_writes, max_bytes, max_memories)
SELECT :id, :name, :kind, (SELECT id FROM agents WHERE agent = :agent), :hash, :created_at,
  :expires_at, :last_used_at, :revoked_at, :requests, :writes, :bytes, :memories
WHERE :agent IS NULL OR EXISTS (SELECT 1 FROM agents WHERE agent = :agent)
