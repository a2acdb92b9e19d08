-- Who looked or acted beyond what an agent may, and what was removed for good. Never any content.
-- A form of each query for each choice of actor and action, so that an index serves it.

-- name: add: one line
INSERT INTO audit (at, actor, action, object, detail) VALUES (?, ?, ?, ?, ?)

-- name: page: lines, newest first, from a place on
SELECT l.seq, l.at, coalesce(a.name, l.actor), l.action, l.object, l.detail
FROM audit AS l LEFT JOIN agents AS a ON a.agent = l.actor
WHERE {{?actor}} AND {{?action}} AND {{?reader}} AND l.at >= :since AND l.at < :until
  AND (l.at < :last_at OR l.seq <= :last_seq)
ORDER BY l.at DESC, l.seq DESC LIMIT :limit

-- name: older: how many lines of one instant are older than one of them
SELECT count(*) FROM audit AS l
WHERE {{?actor}} AND {{?action}} AND {{?reader}} AND l.at = :at AND l.seq < :seq

-- name: place: the newest of the so many oldest lines of one instant
SELECT l.seq FROM audit AS l
WHERE {{?actor}} AND {{?action}} AND {{?reader}} AND l.at = :at
ORDER BY l.seq LIMIT 1 OFFSET :older - 1

-- name: newest: when the last line was written
SELECT max(at) FROM audit

-- name: latest: the number of the last line
SELECT coalesce(max(seq), 0) FROM audit

-- name: lines: every line since an instant, as it is, in the order in which they were written
SELECT at, actor, action, object, detail FROM audit WHERE at >= ? ORDER BY seq
