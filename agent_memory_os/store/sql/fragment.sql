-- Fragments that other queries take in where they say {{name}}; `m` is a row of memories.

-- name: gate: the row may be read by the principal that :gate_* describes
(
  :gate_all
  OR m.owner = :gate_agent
  OR EXISTS (
    SELECT 1 FROM grants AS g
    WHERE g.memory = m.rowid AND g.until IS NULL
      AND g.scope IN (SELECT value FROM json_each(:gate_scopes))
  )
)

-- name: current: the row is shown at :now: not forgotten, not expired, within its validity
(
  m.state = 'active'
  AND (m.expires_at IS NULL OR m.expires_at > :now)
  AND (m.valid_from IS NULL OR m.valid_from <= :now)
  AND (m.valid_to IS NULL OR m.valid_to > :now)
)

-- name: alike: the row is of one owner, and has the words and circumstances of :same
(
  m.same = :same AND m.owner = :owner
  AND m.content = :content AND m.type = :type AND m.author IS :author AND m.session IS :session
  AND m.position IS :position AND m.event_at IS :event_at AND m.valid_from IS :valid_from
  AND m.valid_to IS :valid_to AND m.expires_at IS :expires_at
)

-- name: standing: the row is in the state that is asked for; what is forgotten is its owner's alone
(
  CASE :state
    WHEN 'active' THEN {{current}}
    WHEN 'expired' THEN m.state = 'active' AND NOT {{current}}
    WHEN 'forgotten' THEN m.state = 'forgotten' AND (:gate_all OR m.owner = :gate_agent)
    ELSE m.state = 'active'
  END
)

-- name: stands: the add `x` to scope `s` is to a team, or its team's add stands too
(s.kind <> 'project' OR EXISTS (
  SELECT 1 FROM projects AS p
  JOIN scopes AS ts ON ts.kind = 'team' AND ts.ref = p.team
  JOIN memberships AS tx ON tx.scope = ts.id AND tx.agent = x.agent AND tx.add_digest = x.under
  WHERE p.id = s.ref
))

-- name: columns: a memory as a reader gets it
m.rowid, m.id, a.agent, a.name, {{content_fields}}, m.state, m.version

-- name: content_fields: what a memory says, in the order of model.memory.Content
m.content, m.created_at, m.updated_at, m.type, m.summary, m.tags, m.source, m.author, m.session,
m.position, m.event_at, m.confidence, m.importance, m.pinned, m.valid_from, m.valid_to,
m.expires_at, m.half_life_days, m.editor, m.reason, m.life

-- name: filters: what a caller may narrow by; a NULL parameter narrows nothing
{{narrowing}}
AND (:since IS NULL OR {{instant}} >= :since)
AND (:until IS NULL OR {{instant}} < :until)

-- name: narrowing: what a caller may narrow by, but for times
(:owner IS NULL OR m.owner IN (SELECT id FROM agents WHERE agent = :owner OR name = :owner))
AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
AND (:session IS NULL OR m.session = :session)
AND (:author IS NULL OR m.author = :author)
AND (:pinned IS NULL OR m.pinned = :pinned)
AND (:tags IS NULL OR m.tags IS NOT NULL)
AND (:tags IS NULL OR NOT EXISTS (
  SELECT 1 FROM json_each(:tags) AS wanted
  WHERE wanted.value NOT IN (SELECT value FROM json_each(m.tags))
))

-- name: instant: the time of a row that :time_field names
(CASE :time_field
  WHEN 'updated' THEN m.updated_at
  WHEN 'event' THEN coalesce(m.event_at, m.created_at)
  WHEN 'valid' THEN coalesce(m.valid_from, m.event_at, m.created_at)
  ELSE m.created_at
END)

-- name: grants_said: what the registers say of each grant: the longest length, and whose it is
(
  SELECT object, grp, stamp, max(json_extract(value, '$.length')) AS length,
    json_extract(value, '$.by') AS actor
  FROM registers WHERE grp LIKE 'memory.grant:%' AND {{?among}} GROUP BY object, grp
)

-- name: outlived: the life of the row of memories has ended
EXISTS (
  SELECT 1 FROM registers AS r WHERE r.object = memories.id AND r.grp = 'memory.life'
    AND json_extract(r.value, '$.length') > memories.life
)

-- name: unfounded: the row of grants holds, and no register says so
until IS NULL AND NOT EXISTS (
  SELECT 1 FROM memories AS m, scopes AS s, registers AS r
  WHERE m.rowid = grants.memory AND s.id = grants.scope
    AND r.object = m.id AND r.grp = 'memory.grant:' || s.scope
)

-- name: instant_created: the same for one choice, so that an index can serve it
m.created_at

-- name: instant_updated: the same for one choice
m.updated_at

-- name: instant_event: the same for one choice
coalesce(m.event_at, m.created_at)

-- name: instant_valid: the same for one choice
coalesce(m.valid_from, m.event_at, m.created_at)

-- name: anchor: the row that a timeline is around, or one behind all where it is an instant
coalesce((SELECT rowid FROM memories WHERE id = :at_id), 9223372036854775807)

-- name: reach_all: rows are taken in their order, until enough of them pass the gate
TRUE

-- name: reach_seen: only what the principal sees is looked at: its own, and what it is granted
m.rowid IN (
  SELECT rowid FROM memories WHERE owner = :gate_agent
  UNION
  SELECT memory FROM grants
  WHERE until IS NULL AND scope IN (SELECT value FROM json_each(:gate_scopes))
)

-- name: reach_owned: only what belongs to the owner that is asked for is looked at
m.rowid IN (
  SELECT rowid FROM memories
  WHERE owner IN (SELECT id FROM agents WHERE agent = :owner OR name = :owner)
)

-- name: way_author: the rows of an author are looked up, in the order of their creation
m.author = :said COLLATE NOCASE

-- name: way_rows: of the rows that are looked at, those of an author
+m.author = :said COLLATE NOCASE

-- name: actor_any: lines `l` of the audit, whoever acted
TRUE

-- name: actor_one: what one agent did, or the operator
l.actor = :actor

-- name: action_any: whatever was done
TRUE

-- name: action_one: one thing that was done
l.action = :action

-- name: reader_all: the operator reads every line
TRUE

-- name: reader_own: an agent reads of its own acts: on what it may read still, and has erased
l.actor = :reader AND (
  EXISTS (
    SELECT 1 FROM memories AS m
    WHERE m.id = l.object AND {{gate}} AND (m.state = 'active' OR m.owner = :gate_agent)
  )
  OR EXISTS (SELECT 1 FROM tombstones AS t WHERE t.id = l.object AND t.owner = :gate_agent)
)

-- name: reach_filed: only what the caller narrows to is looked at
m.rowid IN (SELECT value FROM json_each(:filed))

-- name: file_session: what is filed under a session
m.session = :session

-- name: file_pinned: what is pinned
m.pinned = 1

-- name: file_forgotten: what is forgotten
m.state = 'forgotten'

-- name: file_types: what is filed under some types
m.type IN (SELECT value FROM json_each(:types))

-- name: file_author: what somebody of a name said, of any case
m.author = :author COLLATE NOCASE

-- name: file_said: the same, where all that he said is asked for
m.author = :said COLLATE NOCASE

-- name: among_all: registers of any object
TRUE

-- name: among_one: registers of one object
object = :object

-- name: own: the register `r` is one of the node's own account
r.author = (SELECT id FROM accounts WHERE account = (SELECT account FROM node))

-- name: chosen: the row is one owner's, and what a move is narrowed to lets it through
m.owner = (SELECT id FROM agents WHERE agent = :of) AND {{standing}} AND {{filters}}
AND (:granted IS NULL OR CASE :granted
  WHEN 'private' THEN NOT EXISTS (
    SELECT 1 FROM grants AS g WHERE g.memory = m.rowid AND g.until IS NULL
  )
  ELSE EXISTS (
    SELECT 1 FROM grants AS g
    WHERE g.memory = m.rowid AND g.until IS NULL
      AND g.scope = (SELECT id FROM scopes WHERE scope = :granted)
  )
END)
