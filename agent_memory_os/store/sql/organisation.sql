-- Agents, teams, projects and who is a member: the view of the organisation's registers.

-- name: put_agent: an agent as its register says
INSERT INTO agents (agent, account, first_name, name, kind, display_name, notes, state, created_at)
VALUES (:agent, :account, :first_name, :name, :kind, :display_name, :notes, :state, :at)
ON CONFLICT (agent) DO UPDATE SET name = excluded.name, kind = excluded.kind,
  display_name = excluded.display_name, notes = excluded.notes, state = excluded.state

-- name: rename_default: who acts by default, where that is an agent of ours that is called otherwise
UPDATE node SET default_agent = :name
WHERE account = :account AND default_agent <> :name
  AND default_agent = (SELECT name FROM agents WHERE agent = :agent)

-- name: put_team: a team as its register says
INSERT INTO teams (team, founder, nonce, admin, name, notes, state, created_at)
VALUES (:team, :founder, :nonce, :founder, :name, :notes, 'active', :at)
ON CONFLICT (team) DO UPDATE SET name = excluded.name, notes = excluded.notes

-- name: put_project: a project as its register says
INSERT INTO projects (project, team, nonce, name, notes, state, created_at)
VALUES (:project, (SELECT id FROM teams WHERE team = :team), :nonce, :name, :notes, 'active', :at)
ON CONFLICT (project) DO UPDATE SET name = excluded.name, notes = excluded.notes

-- name: set_team_state: a team lives or is gone
UPDATE teams SET state = :state WHERE team = :team

-- name: set_project_state: a project lives or is gone
UPDATE projects SET state = :state WHERE project = :project

-- name: agent_row: the row of an agent
SELECT id FROM agents WHERE agent = :id

-- name: agent_name: what people call an agent
SELECT name FROM agents WHERE agent = :id

-- name: team_row: the row of a team
SELECT id FROM teams WHERE team = :id

-- name: project_row: the row of a project
SELECT id FROM projects WHERE project = :id

-- name: put_scope: an audience that grants may name
INSERT INTO scopes (scope, kind, ref) VALUES (:scope, :kind, coalesce(:ref, 0))
ON CONFLICT (scope) DO UPDATE SET ref = excluded.ref

-- name: scope_row: the row of a scope
SELECT id FROM scopes WHERE scope = :scope

-- name: clear_member: forget what held of a member
DELETE FROM memberships WHERE scope = :scope AND agent = :agent

-- name: put_member: an add register that stands
INSERT OR REPLACE INTO memberships (scope, agent, add_digest, under, since)
VALUES (:scope, :agent, :digest, :under, :since)

-- name: standing_add: the add register that a write of this agent relies on in a scope
SELECT min(x.add_digest) FROM memberships AS x
JOIN scopes AS s ON s.id = x.scope JOIN agents AS a ON a.id = x.agent
WHERE s.scope = :scope AND a.agent = :agent AND {{stands}}

-- name: agents: the agents of this account
SELECT a.agent, a.account, a.name, a.kind, a.display_name, a.notes, a.state
FROM agents AS a JOIN node AS n ON n.account = a.account
WHERE (:state IS NULL OR a.state = :state) ORDER BY a.name, a.agent

-- name: others: the active agents of other accounts that are known here
SELECT a.agent, a.account, a.name, a.kind, a.display_name, a.notes, a.state
FROM agents AS a JOIN node AS n ON n.account <> a.account
WHERE a.state = 'active' ORDER BY a.name, a.agent

-- name: is_own: whether an agent is of this account
SELECT 1 FROM agents AS a JOIN node AS n ON n.account = a.account WHERE a.agent = ?

-- name: agent_named: agents of a name, active ones first
SELECT agent, account, name, kind, display_name, notes, state FROM agents
WHERE agent = :name OR name = :name ORDER BY state, created_at, agent

-- name: teams: the teams of this node
SELECT team, founder, admin, name, notes, state FROM teams
WHERE (:state IS NULL OR state = :state) ORDER BY name, team

-- name: projects: the projects of this node
SELECT p.project, t.team, t.name, p.name, p.notes, CASE WHEN t.state = 'active' THEN p.state ELSE t.state END
FROM projects AS p JOIN teams AS t ON t.id = p.team
WHERE (:state IS NULL OR (p.state = :state AND t.state = :state)) ORDER BY t.name, p.name, p.project

-- name: members: who is a member of a scope
SELECT DISTINCT a.agent, a.account, a.name, a.kind, a.display_name, a.notes, a.state, x.since
FROM memberships AS x JOIN scopes AS s ON s.id = x.scope JOIN agents AS a ON a.id = x.agent
WHERE s.scope = :scope AND a.state = 'active'
  AND {{stands}}
ORDER BY a.name, a.agent

-- name: preimage_team: what a team's id commits to
SELECT founder, nonce FROM teams WHERE team = :id

-- name: preimage_project: what a project's id commits to
SELECT t.team, p.nonce FROM projects AS p JOIN teams AS t ON t.id = p.team WHERE p.project = :id

-- name: preimage_agent: what an agent's id commits to
SELECT account, first_name FROM agents WHERE agent = :id

-- name: labels: what accounts are called here: by the first of their devices that is a peer
SELECT account, name FROM peers WHERE NOT is_learned GROUP BY account HAVING id = min(id)

-- name: called: agents of other accounts, as they are called here, with their accounts
SELECT id, name, account FROM agents WHERE account <> ?

-- name: teams_called: live teams, as they are called here, and another account that has charge of one
SELECT id, name, CASE WHEN admin = ? THEN NULL ELSE admin END FROM teams WHERE state = 'active'

-- name: account: whose node this is
SELECT account FROM node

-- name: call_agent: what an agent is called here
UPDATE agents SET name = ? WHERE id = ?

-- name: call_team: what a team is called here
UPDATE teams SET name = ? WHERE id = ?
