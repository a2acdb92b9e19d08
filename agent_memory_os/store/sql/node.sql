-- This node: whose it is, and what it knows of its own home and fleet file.

-- name: identity: the account, the device and this incarnation of its log
SELECT account, device, incarnation, created_at FROM node

-- name: create: the node's own row
INSERT INTO node (one, account, device, incarnation, last_stamp, last_seq, chain_head, home_mark,
  fleet_mark, fleet_fault, settings_mark, settings_fault, default_agent, index_form, created_at)
VALUES (1, :account, :device, :incarnation, 0, 0, '', :home_mark, '', '', '', '', '', :index_form, :at)

-- name: add_account: an account that is known here
INSERT OR IGNORE INTO accounts (account, root_key, recovery_key, name)
VALUES (:account, :root_key, :recovery_key, :name)

-- name: put_device: a device as its register says
INSERT INTO devices (device, account, sign_key, seal_key, state)
VALUES (:device, (SELECT id FROM accounts WHERE account = :account), :sign_key, :seal_key, :state)
ON CONFLICT (device) DO UPDATE SET state = excluded.state

-- name: begin_arrivals: before it was made nothing came here
INSERT INTO arrivals (lseq, at) VALUES (1, ?)

-- name: become: go on as another device, with a log of its own
UPDATE node SET device = :device, incarnation = :incarnation, last_seq = 0, chain_head = '',
  home_mark = :home_mark

-- name: restart: go on after a restore, with numbers that were never given out
UPDATE node SET incarnation = :incarnation, chain_head = '', home_mark = :home_mark,
  last_seq = max(last_seq, :seq), last_stamp = max(last_stamp, :stamp)

-- name: numbers: the last number and stamp that were given out
SELECT last_seq, last_stamp FROM node

-- name: set_home_mark: the home is where it should be
UPDATE node SET home_mark = ?

-- name: home: what the node knows of the files in its home
SELECT home_mark, fleet_mark, fleet_fault, settings_mark, settings_fault, default_agent,
  index_form, acquaints
FROM node

-- name: set_fleet: remember the fleet file, and what was wrong with it
UPDATE node SET fleet_mark = ?, fleet_fault = ?

-- name: set_settings: remember node.toml, and what was wrong with it
UPDATE node SET settings_mark = ?, settings_fault = ?

-- name: set_default_agent: who acts where none is named, by the name that it has now
UPDATE node SET default_agent = coalesce(
  (SELECT a.name FROM agents AS a WHERE a.account = node.account AND a.first_name = ?1
     AND NOT EXISTS (SELECT 1 FROM agents WHERE name = ?1)),
  ?1
)

-- name: set_acquaints: whether the devices of members become peers by themselves
UPDATE node SET acquaints = ?

-- name: set_index_form: the index was made anew
UPDATE node SET index_form = ?

-- name: device_keys: the public keys that a device's id commits to
SELECT sign_key, seal_key FROM devices WHERE device = ?

-- name: account_keys: the public keys that an account's id commits to
SELECT root_key, recovery_key FROM accounts WHERE account = ?

-- name: last_stamp: the newest stamp that this node knows
SELECT last_stamp FROM node

-- name: put_file: what a file of the home holds, in a backup
INSERT OR REPLACE INTO files (name, text, is_applied) VALUES (?, ?, ?)

-- name: files: what files of the home held
SELECT name, text, is_applied FROM files ORDER BY name

-- name: drop_files: what files held is in the home now
DELETE FROM files
