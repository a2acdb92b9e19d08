-- Upkeep: sweeping what was erased, checking the file against itself, counting.

-- name: texts: every text that a memory holds now, with its index terms
SELECT m.content, m.summary, m.tags, m.source, m.author, m.session, m.editor, m.reason, d.terms
FROM memories AS m LEFT JOIN documents AS d ON d.memory = m.rowid WHERE m.rowid = ?

-- name: past_values: what a memory held before, and what else of its content is kept
SELECT value FROM memory_versions WHERE memory = ?1
UNION ALL SELECT s.value FROM shelf AS s JOIN memories AS m ON m.id = s.memory WHERE m.rowid = ?1
UNION ALL SELECT r.value FROM registers AS r JOIN memories AS m ON m.id = r.object
WHERE m.rowid = ?1 AND r.grp = 'memory.content' AND r.value IS NOT NULL

-- name: mark_unswept: one more erased memory may have bytes in the file
UPDATE node SET unswept = unswept + 1

-- name: unswept: how many erased memories may have bytes in the file
SELECT unswept FROM node

-- name: owe: so many erased memories may have bytes in the file
UPDATE node SET unswept = ?

-- name: settle: some of them have none any more
UPDATE node SET unswept = max(0, unswept - ?)

-- name: schema: everything that the schema makes, without what SQLite makes by itself
SELECT type, name, sql FROM sqlite_schema
WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY type, name

-- name: put_setting: a setting of the index
INSERT OR REPLACE INTO terms_config (k, v) VALUES (?, ?)

-- name: settings: what is set of the index
SELECT k, v FROM terms_config ORDER BY k

-- name: drop_data: nothing lies beneath the index
DELETE FROM terms_data

-- name: drop_idx: the lookup table of the index holds nothing
DELETE FROM terms_idx

-- name: get_data: what lies beneath an index
SELECT id, block FROM terms_data

-- name: get_idx: what the lookup table of an index holds
SELECT segid, term, pgno FROM terms_idx

-- name: put_data: a part of what lies beneath the index
INSERT INTO terms_data (id, block) VALUES (?, ?)

-- name: put_idx: a row of the lookup table
INSERT INTO terms_idx (segid, term, pgno) VALUES (?, ?, ?)

-- name: clear_totals: forget the totals of the audiences
UPDATE scopes SET documents = 0, words = 0

-- name: last_change: the number of the last change
SELECT coalesce(max(lseq), 0) FROM registers

-- name: changed_rows: the memories that registers speak of since a change
SELECT DISTINCT m.rowid FROM registers AS r JOIN memories AS m ON m.id = r.object WHERE r.lseq > ?

-- name: indexed_rows: the memories of which something was entered
SELECT memory FROM documents

-- name: next_rows: the active memories after a row
SELECT rowid FROM memories WHERE rowid > ? AND state = 'active' ORDER BY rowid LIMIT ?

-- name: next_documents: what was entered of the memories after a row
SELECT memory, scopes, terms FROM documents WHERE memory > ? ORDER BY memory LIMIT ?

-- name: document_count: how many memories the index should hold
SELECT count(*) FROM documents

-- name: largest_row: the highest row of a memory that the index should hold
SELECT coalesce(max(memory), 0) FROM documents

-- name: documents: what was entered of each memory
SELECT memory, scopes, terms FROM documents

-- name: some_documents: the same, of one memory in so many
SELECT memory, scopes, terms FROM documents WHERE memory % ? = 0

-- name: entered: each active memory: its scopes, what was entered, what it says
SELECT m.rowid, s.id,
  (SELECT group_concat(g.scope, ' ') FROM grants AS g WHERE g.memory = m.rowid AND g.until IS NULL),
  d.scopes, d.terms, m.content, m.summary, m.tags
FROM memories AS m
JOIN scopes AS s ON s.kind = 'agent' AND s.ref = m.owner
LEFT JOIN documents AS d ON d.memory = m.rowid
WHERE m.state = 'active' AND m.rowid > ? ORDER BY m.rowid LIMIT ?

-- name: not_to_be_entered: the memories that are in the index and should not be
SELECT d.memory FROM documents AS d LEFT JOIN memories AS m ON m.rowid = d.memory
WHERE m.state IS NOT 'active'

-- name: totals: the totals that each audience has
SELECT id, documents, words FROM scopes

-- name: open_entries: a view of every entry of the index, on this connection
CREATE VIRTUAL TABLE IF NOT EXISTS temp.entries USING fts5vocab('main', 'terms', 'instance')

-- name: open_terms: a view of every term of the index, on this connection
CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'terms', 'row')

-- name: entries: every entry, in order of the terms
SELECT term, doc FROM temp.entries

-- name: term_count: how many terms there are
SELECT count(*) FROM temp.vocabulary

-- name: finds: whether a memory is found by an expression
SELECT rowid FROM terms WHERE terms MATCH ? AND rowid = ?

-- name: contents: each memory, what its id commits to, and the value and digest of its register
-- The row is the value, unless that has fields which this version does not know.
SELECT {{columns}}, a.account, m.nonce, r.digest, r.value
FROM memories AS m JOIN agents AS a ON a.id = m.owner
LEFT JOIN registers AS r
  ON r.object = m.id AND r.grp = 'memory.content' AND r.stamp = m.stamp

-- name: past_contents: what memories said before
SELECT m.id, v.value FROM memory_versions AS v JOIN memories AS m ON m.rowid = v.memory

-- name: lost_contents: content registers whose memory is not there
SELECT DISTINCT r.object FROM registers AS r LEFT JOIN memories AS m ON m.id = r.object
WHERE r.grp = 'memory.content' AND r.value IS NULL AND m.id IS NULL

-- name: all_proofs: every id but those of memories, and what it commits to
SELECT DISTINCT r.object, p.proof FROM registers AS r LEFT JOIN proofs AS p ON p.object = r.object
WHERE r.grp NOT LIKE 'memory.%'
UNION ALL SELECT device, json_array(sign_key, seal_key) FROM devices
UNION ALL SELECT account, json_array(root_key, recovery_key) FROM accounts

-- name: organisation: the registers of everything but memories, oldest first of each kind
-- A register that was written again stands at its last place, so what others name comes before them.
SELECT r.object, r.grp, a.account, d.device, r.stamp, r.seq, r.value, r.digest, l.relies, r.chain,
  p.proof
FROM registers AS r
JOIN accounts AS a ON a.id = r.author
JOIN devices AS d ON d.id = r.device
LEFT JOIN reliances AS l ON l.id = r.reliance
LEFT JOIN proofs AS p ON p.object = r.object
WHERE r.grp NOT LIKE 'memory.%'
ORDER BY
  CASE r.grp WHEN 'agent' THEN 0 WHEN 'team.name' THEN 1 WHEN 'project.name' THEN 2 ELSE 3 END,
  r.stamp, d.device, r.seq

-- name: wrong_lives: memories that are forgotten or not, unlike their registers
SELECT id FROM memories WHERE (state = 'forgotten') <> {{outlived}}

-- name: wrong_grants: what the registers say of grants that the view shows otherwise
SELECT f.object, f.grp, f.stamp, f.length, f.actor
FROM {{grants_said}} AS f
JOIN memories AS m ON m.id = f.object
LEFT JOIN scopes AS s ON s.scope = substr(f.grp, length('memory.grant:') + 1)
LEFT JOIN grants AS g ON g.memory = m.rowid AND g.scope = s.id AND g.until IS NULL
WHERE (f.length % 2 = 1) <> (g.memory IS NOT NULL)

-- name: unfounded_grants: memories with a grant that no register speaks of
SELECT DISTINCT x.id FROM grants JOIN memories AS x ON x.rowid = grants.memory WHERE {{unfounded}}

-- name: unnamed_scopes: audiences that a grant names and that have no row
SELECT DISTINCT substr(r.grp, length('memory.grant:') + 1) FROM registers AS r
WHERE r.grp LIKE 'memory.grant:%'
  AND substr(r.grp, length('memory.grant:') + 1) NOT IN (SELECT scope FROM scopes)

-- name: shown_agents: agents as they are shown
SELECT agent, account, first_name, name, kind, display_name, notes, state FROM agents

-- name: shown_teams: teams as they are shown
SELECT team, founder, nonce, admin, charge, name, notes, state FROM teams

-- name: shown_projects: projects as they are shown: none lives longer than its team
SELECT p.project, t.team, p.nonce, p.name, p.notes, iif(t.state = 'active', p.state, t.state)
FROM projects AS p JOIN teams AS t ON t.id = p.team

-- name: shown_scopes: audiences of somebody who is known here
SELECT s.scope FROM scopes AS s LEFT JOIN agents AS a ON a.id = s.ref
LEFT JOIN teams AS t ON t.id = s.ref LEFT JOIN projects AS p ON p.id = s.ref
WHERE s.scope = CASE s.kind WHEN 'agent' THEN 'agent:' || a.agent WHEN 'team' THEN 'team:' || t.team
  WHEN 'project' THEN 'project:' || p.project ELSE 'global' END

-- name: shown_devices: devices as they are shown
SELECT d.device, a.account, d.sign_key, d.seal_key, d.state
FROM devices AS d JOIN accounts AS a ON a.id = d.account

-- name: shown_memberships: memberships as they are shown: those that stand
SELECT s.scope, a.agent, x.add_digest, x.under
FROM memberships AS x JOIN scopes AS s ON s.id = x.scope JOIN agents AS a ON a.id = x.agent
WHERE {{stands}}

-- name: shown_links: links as they are shown
SELECT l.link, s.id, d.id, l.relation, l.weight, l.asserted_by FROM links AS l
JOIN memories AS s ON s.rowid = l.src JOIN memories AS d ON d.rowid = l.dst

-- name: ground_accounts: the accounts
SELECT * FROM accounts

-- name: put_accounts: an account, as it is
INSERT INTO accounts VALUES (?, ?, ?, ?, ?)

-- name: ground_devices: the devices
SELECT * FROM devices

-- name: put_devices: a device, as it is
INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?)

-- name: ground_registers: the registers of the organisation
SELECT * FROM registers WHERE grp NOT LIKE 'memory.%'

-- name: put_registers: a register, as it is
INSERT INTO registers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: ground_ends: the memories that links may lead from and to
SELECT rowid, id FROM memories WHERE id IN (
  SELECT json_extract(proof, '$[0]') FROM proofs WHERE object LIKE 'lnk\_%' ESCAPE '\'
  UNION SELECT json_extract(proof, '$[1]') FROM proofs WHERE object LIKE 'lnk\_%' ESCAPE '\'
)

-- name: put_ends: a memory of which only its id matters
INSERT INTO memories (rowid, id, owner, nonce, type, content, confidence, importance, pinned,
  created_at, updated_at, life, stamp, version, same, changed, state)
VALUES (?, ?, 0, x'', '', '', 0, 0, 0, 0, 0, 1, 0, 1, x'', 0, 'active')

-- name: put_global: the audience that nobody makes
INSERT INTO scopes (scope, kind, ref) VALUES ('global', 'global', 0)

-- name: drop_memberships: memberships are all shown anew
DELETE FROM memberships

-- name: drop_stray_links: links that are not what their ids commit to, or that nobody asserts
DELETE FROM links WHERE NOT EXISTS (
  SELECT 1 FROM proofs AS p, registers AS r, memories AS s, memories AS d
  WHERE p.object = links.link AND r.object = links.link AND s.rowid = links.src
    AND d.rowid = links.dst AND p.proof = json_array(s.id, d.id, links.relation, links.asserted_by)
)

-- name: drop_stray_projects: projects that no register speaks of
DELETE FROM projects WHERE project NOT IN (SELECT object FROM registers)

-- name: drop_stray_teams: teams that no register speaks of
DELETE FROM teams WHERE team NOT IN (SELECT object FROM registers)
  AND id NOT IN (SELECT team FROM projects)

-- name: drop_stray_agents: agents that no register speaks of, and that own nothing
DELETE FROM agents WHERE agent NOT IN (SELECT object FROM registers)
  AND id NOT IN (SELECT owner FROM memories) AND id NOT IN (SELECT owner FROM tombstones)

-- name: revive_agents: agents whose rows were lost, under their old numbers
INSERT INTO agents (id, agent, account, first_name, name, kind, display_name, notes, state, created_at)
SELECT s.ref, p.object, '', '', '', '', '', '', 'active',
  (SELECT min(r.stamp) >> 16 FROM registers AS r WHERE r.object = p.object)
FROM proofs AS p JOIN scopes AS s ON s.scope = 'agent:' || p.object
WHERE p.object NOT IN (SELECT agent FROM agents) AND s.ref NOT IN (SELECT id FROM agents)
  AND s.ref > 0

-- name: revive_teams: teams whose rows were lost, under their old numbers
INSERT INTO teams (id, team, founder, nonce, admin, name, notes, state, created_at)
SELECT s.ref, p.object, '', '', '', '', '', 'active',
  (SELECT min(r.stamp) >> 16 FROM registers AS r WHERE r.object = p.object)
FROM proofs AS p JOIN scopes AS s ON s.scope = 'team:' || p.object
WHERE p.object NOT IN (SELECT team FROM teams) AND s.ref NOT IN (SELECT id FROM teams)
  AND s.ref > 0

-- name: revive_projects: projects whose rows were lost, under their old numbers
INSERT INTO projects (id, project, team, nonce, name, notes, state, created_at)
SELECT s.ref, p.object, t.id, '', '', '', 'active',
  (SELECT min(r.stamp) >> 16 FROM registers AS r WHERE r.object = p.object)
FROM proofs AS p JOIN scopes AS s ON s.scope = 'project:' || p.object
JOIN teams AS t ON t.team = json_extract(p.proof, '$[0]')
WHERE p.object NOT IN (SELECT project FROM projects) AND s.ref NOT IN (SELECT id FROM projects)
  AND s.ref > 0

-- name: open_teams: a team lives unless a register ends it
UPDATE teams SET state = 'active'

-- name: open_projects: a project lives unless a register ends it
UPDATE projects SET state = 'active'

-- name: unname_scopes: audiences of somebody who is not known here reach nobody
UPDATE scopes SET ref = 0 WHERE
  (kind = 'agent' AND ref NOT IN (SELECT id FROM agents))
  OR (kind = 'team' AND ref NOT IN (SELECT id FROM teams))
  OR (kind = 'project' AND ref NOT IN (SELECT id FROM projects))

-- name: prove_agents: what an agent's id commits to, again
UPDATE agents SET account = json_extract(p.proof, '$[0]'), first_name = json_extract(p.proof, '$[1]')
FROM proofs AS p WHERE p.object = agents.agent

-- name: prove_teams: what a team's id commits to, again
UPDATE teams SET founder = json_extract(p.proof, '$[0]'), admin = json_extract(p.proof, '$[0]'),
  nonce = json_extract(p.proof, '$[1]')
FROM proofs AS p WHERE p.object = teams.team

-- name: prove_projects: what a project's id commits to, again
UPDATE projects SET team = (SELECT id FROM teams WHERE team = json_extract(p.proof, '$[0]')),
  nonce = json_extract(p.proof, '$[1]')
FROM proofs AS p WHERE p.object = projects.project

-- name: drop_unfounded_grants: grants of a memory that no register speaks of
DELETE FROM grants WHERE memory = (SELECT rowid FROM memories WHERE id = ?) AND {{unfounded}}

-- name: end_life: a memory whose life has ended is forgotten
UPDATE memories SET state = 'forgotten', forgotten_at = (
  SELECT max(r.stamp) >> 16 FROM registers AS r
  WHERE r.object = memories.id AND r.grp = 'memory.life'
) WHERE id = ? AND state = 'active' AND {{outlived}}

-- name: begin_life: a memory whose life lasts is not
UPDATE memories SET state = 'active', forgotten_at = NULL
WHERE id = ? AND state = 'forgotten' AND NOT {{outlived}}

-- name: memory_count: how many memories are here, forgotten ones included
SELECT count(*) FROM memories

-- name: judged: memories and links that others have a say in
SELECT m.id FROM memories AS m JOIN agents AS a ON a.id = m.owner
WHERE a.account <> (SELECT account FROM node)
UNION SELECT object FROM hidden
UNION SELECT object FROM registers WHERE object >= 'lnk_' AND object < 'lnk~'

-- name: link_weight: how strong a link is shown to be
SELECT weight FROM links WHERE link = ?

-- name: ground_peers: the peers, after whom agents of other accounts are called
SELECT * FROM peers

-- name: put_peers: a peer, as it is
INSERT INTO peers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
