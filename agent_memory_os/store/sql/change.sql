-- What has changed for a reader since a register: only what the reader may know of.

-- name: latest: the number of the newest register, and whose log it is
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'registers'), 0), incarnation
FROM node

-- name: here: memories that were changed or shared and may be read now, as they changed
SELECT id, version, max(at) FROM (
  SELECT m.id, m.version, m.changed AS at FROM memories AS m
  WHERE m.changed > :last AND m.state = 'active' AND {{gate}}
  UNION ALL
  SELECT m.id, m.version, r.lseq FROM registers AS r JOIN memories AS m ON m.id = r.object
  WHERE r.lseq > :last AND r.grp >= 'memory.grant:' AND r.grp < 'memory.grant;'
    AND m.state = 'active' AND {{gate}}
    AND (:gate_all OR m.owner = :gate_agent OR r.grp IN (SELECT value FROM json_each(:groups)))
)
GROUP BY id ORDER BY 3, 1 LIMIT :limit

-- name: gone: memories that a reader of these scopes could read until a grant or their life ended
-- A grant that ends while its memory is forgotten ends nothing for its reader. That happens in one
-- place: bringing a memory back takes it from the groups that its owner has left; then come the
-- content and the life, and nothing between.
SELECT object, max(at) FROM (
  SELECT r.object, r.lseq AS at FROM registers AS r
  WHERE r.lseq > :last AND r.grp IN (SELECT value FROM json_each(:groups))
    AND json_extract(r.value, '$.length') % 2 = 0
    AND NOT EXISTS (
      SELECT 1 FROM registers AS l
      WHERE l.object = r.object AND l.grp = 'memory.life'
        AND json_extract(l.value, '$.length') % 2 = 1
        AND l.lseq - r.lseq = 2 + (
          SELECT count(*) FROM registers AS x
          WHERE x.object = r.object AND x.grp >= 'memory.grant:' AND x.grp < 'memory.grant;'
            AND x.lseq > r.lseq AND x.lseq < l.lseq
        )
    )
  UNION ALL
  SELECT r.object, r.lseq FROM registers AS r
  WHERE r.lseq > :last AND r.grp = 'memory.life' AND json_extract(r.value, '$.length') % 2 = 0
    AND (
      :gate_all
      OR EXISTS (SELECT 1 FROM memories AS m WHERE m.id = r.object AND m.owner = :gate_agent)
      OR EXISTS (SELECT 1 FROM tombstones AS t WHERE t.id = r.object AND t.owner = :gate_agent)
      OR EXISTS (
        SELECT 1 FROM registers AS g
        WHERE g.object = r.object AND g.grp IN (SELECT value FROM json_each(:groups))
        GROUP BY g.grp HAVING max(json_extract(g.value, '$.length')) % 2 = 1
      )
    )
) AS ended
WHERE NOT EXISTS (
  SELECT 1 FROM memories AS m WHERE m.id = ended.object AND m.state = 'active' AND {{gate}}
)
GROUP BY object ORDER BY 2, 1 LIMIT :limit

-- name: audience: the newest register by which an agent's own groups changed, if any did
SELECT max(r.lseq) FROM registers AS r
WHERE r.lseq > :last AND (
  r.grp IN ('team.member:' || :agent, 'project.member:' || :agent)
  OR (r.grp = 'agent' AND r.object = :agent)
  OR (r.grp IN ('team.life', 'project.life') AND EXISTS (
    SELECT 1 FROM scopes AS s JOIN memberships AS x ON x.scope = s.id
    WHERE s.scope IN ('team:' || r.object, 'project:' || r.object) AND x.agent = :gate_agent
  ))
)
