-- Sessions in their order, each by its owner: an index has both, and the place.

-- name: last_position: the last place that is taken in a session of an owner
SELECT max(position) FROM memories WHERE session = ? AND owner = ?

-- name: session_page: what has a place in a session of an owner, from a cursor on
SELECT {{columns}} FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE m.session = :session AND m.owner = :owner AND m.position >= :after
  AND {{gate}} AND {{current}}
  -- Where the last one of the page before is gone, those of its place come again: none is lost.
  AND (m.position > :after OR m.rowid > coalesce(
    (SELECT m.rowid FROM memories AS m WHERE m.id = :after_id AND {{gate}}), 0
  ))
ORDER BY m.position, m.rowid
LIMIT :limit
