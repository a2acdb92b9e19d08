-- Invitations to pair, each good for one joiner, for a while, and for so many tries.

-- name: add: a new one; one of that number that is over makes room
INSERT OR REPLACE INTO invitations (number, words, scope, created_at, ends_at)
VALUES (:number, :words, :scope, :created_at, :ends_at)

-- name: get: one, whatever became of it
SELECT number, words, scope, created_at, ends_at, tries, device, joined_at
FROM invitations WHERE number = ?

-- name: every: all that are kept, the newest first
SELECT number, words, scope, created_at, ends_at, tries, device, joined_at
FROM invitations ORDER BY created_at DESC, number

-- name: try: count an attempt
UPDATE invitations SET tries = tries + 1 WHERE number = ?

-- name: join: somebody came by it; its secret is of no more use
UPDATE invitations SET device = :device, joined_at = :now, words = '' WHERE number = :number

-- name: withdraw: nobody can join by it any more
UPDATE invitations SET ends_at = :now, words = ''
WHERE number = :number AND joined_at IS NULL AND ends_at > :now

-- name: drop: those that ended long ago
DELETE FROM invitations WHERE ends_at < ?

-- name: end: none is there any more
DELETE FROM invitations
