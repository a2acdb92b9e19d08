-- Who may read: what a principal's sight is, and the gate over a set of rows.

-- name: agent_row: the row number and account of an agent that may act here: one of this account
SELECT a.id, a.account FROM agents AS a JOIN node AS n ON n.account = a.account
WHERE a.agent = :agent AND a.state = 'active'

-- name: scopes_of_agent: the scopes that reach an agent, of live teams and projects alone
SELECT id, scope FROM scopes WHERE kind = 'agent' AND ref = :row
UNION ALL
SELECT s.id, s.scope FROM scopes AS s, node AS n, agents AS a
WHERE s.kind = 'global' AND a.id = :row AND a.account = n.account
UNION ALL
SELECT s.id, s.scope
FROM memberships AS x
JOIN scopes AS s ON s.id = x.scope AND s.kind = 'team'
JOIN teams AS t ON t.id = s.ref AND t.state = 'active'
WHERE x.agent = :row
UNION ALL
SELECT s.id, s.scope
FROM memberships AS x
JOIN scopes AS s ON s.id = x.scope AND s.kind = 'project'
JOIN projects AS p ON p.id = s.ref AND p.state = 'active'
JOIN teams AS t ON t.id = p.team AND t.state = 'active'
JOIN scopes AS ts ON ts.kind = 'team' AND ts.ref = t.id
JOIN memberships AS tx ON tx.scope = ts.id AND tx.agent = x.agent AND tx.add_digest = x.under
WHERE x.agent = :row

-- name: scopes_of_operator: every memory is entered under its owner's scope
SELECT id, scope FROM scopes WHERE kind = 'agent'

-- name: rows_readable: of the rows :rows (a JSON array), those that the gate lets through
SELECT m.rowid FROM memories AS m
WHERE m.rowid IN (SELECT value FROM json_each(:rows)) AND {{gate}}

-- name: agents_of_name: active agents of a name or id
SELECT a.agent FROM agents AS a JOIN node AS n ON n.account = a.account
WHERE (a.name = :name OR a.agent = :name) AND a.state = 'active' LIMIT 2
