-- Who looked or acted beyond what an agent may, and what was removed for good. Never any content.

-- name: add: one line
INSERT INTO audit (at, actor, action, object, detail) VALUES (?, ?, ?, ?, ?)

-- name: newest: the last lines
SELECT seq, at, actor, action, object, detail FROM audit ORDER BY seq DESC LIMIT ?
