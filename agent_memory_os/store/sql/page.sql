-- Memories in an order of time: pages, timelines, the newest. A form of a query for each choice of
-- reach and instant, since no plan is good for an agent that sees all and for one that sees little.
-- The instant that orders has an index, which serves the order and the stretch from :low to :high.

-- name: page: memories in order of creation, newest first, from a cursor on
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE {{?reach}} AND {{gate}} AND {{standing}} AND {{narrowing}}
  AND m.created_at >= :low AND m.created_at < :high
  AND +{{?instant}} >= :since AND +{{?instant}} < :until
  AND (
    m.created_at < :before_at
    -- Where the last one of the page before is gone, those of its instant come again: none is lost.
    OR m.rowid < coalesce(
      (SELECT m.rowid FROM memories AS m WHERE m.id = :before_id AND {{gate}}), 9223372036854775807
    )
  )
ORDER BY m.created_at DESC, m.rowid DESC
LIMIT :limit

-- name: recent: the newest rows, for the provider of recent memories
SELECT m.rowid FROM memories AS m
WHERE {{?reach}} AND {{gate}} AND {{current}} AND {{narrowing}}
  AND m.created_at >= :low AND m.created_at < :high
  AND +{{?instant}} >= :since AND +{{?instant}} < :until
ORDER BY m.created_at DESC, m.rowid DESC LIMIT :limit

-- name: said_by: the newest rows of one author, for the provider of what somebody said
SELECT m.rowid FROM memories AS m
WHERE {{?reach}} AND {{?way}} AND {{gate}} AND {{current}} AND {{narrowing}}
  AND m.created_at >= :low AND m.created_at < :high
  AND +{{?instant}} >= :since AND +{{?instant}} < :until
ORDER BY m.created_at DESC, m.rowid DESC LIMIT :limit

-- name: has_said: whether anybody of this name said anything, whoever may see it
SELECT 1 FROM memories WHERE author = ? COLLATE NOCASE LIMIT 1

-- name: before: memories up to an instant, newest first, with that instant
SELECT {{columns}}, {{?instant}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE {{?reach}} AND {{gate}} AND {{current}} AND {{narrowing}}
  AND {{?instant}} >= :low AND {{?instant}} < :high
  AND (+{{?instant}} < :at OR m.rowid <= {{anchor}})
ORDER BY {{?instant}} DESC, m.rowid DESC LIMIT :limit

-- name: after: memories after an instant, oldest first, with that instant
SELECT {{columns}}, {{?instant}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE {{?reach}} AND {{gate}} AND {{current}} AND {{narrowing}}
  AND {{?instant}} >= :low AND {{?instant}} < :high
  AND (+{{?instant}} > :at OR m.rowid > {{anchor}})
ORDER BY {{?instant}}, m.rowid LIMIT :limit

-- name: newest_edge: the instant of the row that so many newer ones come before in a stretch
SELECT {{?instant}} FROM memories AS m
WHERE {{?instant}} >= :low AND {{?instant}} < :high
ORDER BY {{?instant}} DESC LIMIT 1 OFFSET :skipped

-- name: oldest_edge: the instant of the row that so many older ones come before in a stretch
SELECT {{?instant}} FROM memories AS m
WHERE {{?instant}} >= :low AND {{?instant}} < :high
ORDER BY {{?instant}} LIMIT 1 OFFSET :skipped

-- name: filed: rows that an index tells of what a caller narrows to, whoever may read them
SELECT m.rowid FROM memories AS m WHERE {{?file}} LIMIT :most

-- name: sought: rows that a caller narrows to, among all, whoever may read them
SELECT m.rowid FROM memories AS m
WHERE {{narrowing}} AND +{{?instant}} >= :since AND +{{?instant}} < :until AND {{standing}}
LIMIT :most

-- name: seen: how many memories a set of scopes holds
SELECT coalesce(sum(documents), 0) FROM scopes WHERE id IN (SELECT value FROM json_each(?))

-- name: owned: how many memories the owner of a name or id has
SELECT coalesce(sum(s.documents), 0) FROM agents AS a
JOIN scopes AS s ON s.kind = 'agent' AND s.ref = a.id WHERE a.agent = :owner OR a.name = :owner

-- name: most: how many memories there are, about
SELECT coalesce(max(rowid), 0) FROM memories
