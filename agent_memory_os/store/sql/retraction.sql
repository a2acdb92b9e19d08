-- Retractions: what a file says was taken back, for another state of the same node to say it too.
-- Here stands what the node's own account says; what others signed is taken over as it is.

-- name: last_change: the number of the last change
SELECT coalesce(max(lseq), 0) FROM registers

-- name: unswept: how many erased memories may have bytes in the file
SELECT unswept FROM node

-- name: erased: what was erased: its id, its owner, what the id commits to beside it, and when
SELECT t.id, a.agent, lower(hex(t.nonce)), t.at
FROM tombstones AS t JOIN agents AS a ON a.id = t.owner
WHERE a.account = (SELECT account FROM node) ORDER BY t.id

-- name: lives: the longest causal length of each life that has ended, by whom and when
SELECT r.object, max(json_extract(r.value, '$.length')) AS length, json_extract(r.value, '$.by'),
  r.stamp
FROM (SELECT DISTINCT object FROM registers WHERE lseq > :since) AS c
CROSS JOIN registers AS r ON r.object = c.object
WHERE r.grp = 'memory.life' AND {{own}} GROUP BY r.object HAVING length % 2 = 0

-- name: grants: the longest causal length of each grant that has ended, by whom and when
SELECT r.object, r.grp, max(json_extract(r.value, '$.length')) AS length,
  json_extract(r.value, '$.by'), r.stamp
FROM (SELECT DISTINCT object FROM registers WHERE lseq > :since) AS c
CROSS JOIN registers AS r ON r.object = c.object
WHERE r.grp LIKE 'memory.grant:%' AND {{own}} GROUP BY r.object, r.grp HAVING length % 2 = 0

-- name: agents: every agent, with the stamp of what its register says
SELECT a.agent, a.account, a.name, a.kind, a.display_name, a.notes, a.state, a.first_name,
  (SELECT max(r.stamp) FROM registers AS r WHERE r.object = a.agent AND r.grp = 'agent')
FROM agents AS a WHERE a.account = (SELECT account FROM node)

-- name: groups: teams and projects that have ended
SELECT 'team', team FROM teams
WHERE state = 'removed' AND admin = (SELECT account FROM node)
UNION ALL SELECT 'project', p.project FROM projects AS p JOIN teams AS t ON t.id = p.team
WHERE p.state = 'removed' AND t.admin = (SELECT account FROM node)

-- name: members: who is in which team and project
SELECT DISTINCT s.scope, a.agent
FROM memberships AS x JOIN scopes AS s ON s.id = x.scope JOIN agents AS a ON a.id = x.agent
WHERE {{stands}} ORDER BY s.kind DESC, s.scope, a.agent

-- name: removals: every removal from a team or project, by its digest
SELECT CASE WHEN grp LIKE 'team.%' THEN 'team:' ELSE 'project:' END || object,
  substr(grp, instr(grp, ':') + 1), lower(hex(digest))
FROM registers
WHERE (grp LIKE 'team.member:%' OR grp LIKE 'project.member:%')
  AND json_extract(value, '$.act') = 'remove'

-- name: stamp: the newest stamp of an agent's register
SELECT max(stamp) FROM registers WHERE object = ? AND grp = 'agent'

-- name: length: the longest causal length that a register of a memory has reached, and when
SELECT max(json_extract(value, '$.length')), stamp FROM registers WHERE object = ? AND grp = ?

-- name: bury: a tombstone of what is not here
INSERT OR IGNORE INTO tombstones (id, owner, nonce, at)
VALUES (?, (SELECT id FROM agents WHERE agent = ?), ?, ?)
