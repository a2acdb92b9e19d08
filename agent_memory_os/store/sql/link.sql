-- Links between memories: shown only where both ends may be read.

-- name: put: a link as its register says
INSERT INTO links (link, src, dst, relation, weight, asserted_by, created_at)
SELECT :link, s.rowid, d.rowid, :relation, :weight, :by, :at
FROM memories AS s, memories AS d WHERE s.id = :src AND d.id = :dst
ON CONFLICT (link) DO UPDATE SET weight = excluded.weight

-- name: drop: a link that is no longer asserted
DELETE FROM links WHERE link = :link

-- name: of_memory: the links of one memory whose other end may be read and is shown
SELECT s.id, d.id, l.relation, l.weight, l.asserted_by, l.created_at
FROM links AS l
JOIN memories AS s ON s.rowid = l.src JOIN memories AS d ON d.rowid = l.dst
WHERE (l.src = (SELECT rowid FROM memories WHERE id = :id)
    OR l.dst = (SELECT rowid FROM memories WHERE id = :id))
  AND EXISTS (
    SELECT 1 FROM memories AS m
    WHERE m.rowid = CASE WHEN s.id = :id THEN l.dst ELSE l.src END AND {{gate}} AND {{current}}
  )
ORDER BY l.created_at, l.link

-- name: asserted: who asserts a link
SELECT asserted_by FROM links
WHERE src = (SELECT rowid FROM memories WHERE id = ?)
  AND dst = (SELECT rowid FROM memories WHERE id = ?) AND relation = ?
ORDER BY link

-- name: all: every link whose ends may both be read, for an export
SELECT s.id, d.id, l.relation, l.weight, l.asserted_by, l.created_at
FROM links AS l
JOIN memories AS s ON s.rowid = l.src JOIN memories AS d ON d.rowid = l.dst
WHERE EXISTS (SELECT 1 FROM memories AS m WHERE m.rowid = l.src AND {{gate}} AND m.state = 'active')
  AND EXISTS (SELECT 1 FROM memories AS m WHERE m.rowid = l.dst AND {{gate}} AND m.state = 'active')
ORDER BY l.link

-- name: supersessions: among readable rows, what supersedes what, and by whom
SELECT l.src, l.dst, m.id, old.id, l.asserted_by, a.agent
FROM links AS l
JOIN memories AS old ON old.rowid = l.dst JOIN agents AS a ON a.id = old.owner
JOIN memories AS m ON m.rowid = l.src
WHERE l.relation = 'supersedes' AND l.dst IN (SELECT value FROM json_each(:rows))
  AND {{gate}} AND {{current}}
