-- How far a pool's events have become deliveries. The lease only avoids double work; what is safe is
-- that a notifier moves the position from where it believes it to be.
CREATE TABLE notifier.position (
    pool        text        PRIMARY KEY,
    seq         bigint      NOT NULL CHECK (seq >= 0),
    holder      text        NOT NULL,
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- What a subscription is to get from one pool. One notifier at a time empties a mailbox; whoever
-- claimed it later has the greater claim. A job belongs to one pool, so its order lies in one mailbox.
CREATE TABLE notifier.mailbox (
    id           int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription uuid        NOT NULL,
    pool         text        NOT NULL,
    -- seq of the last delivery that was put in
    last_seq     bigint      NOT NULL,
    -- every delivery up to this seq has ended
    low_seq      bigint      NOT NULL,
    -- raised when a delivery that had ended is to be tried again
    pokes        int         NOT NULL DEFAULT 0,
    owner        text,
    claim        bigint      NOT NULL DEFAULT 0,
    lease_until  timestamptz NOT NULL DEFAULT '-infinity',
    UNIQUE (subscription, pool)
) WITH (fillfactor = 40, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- An event that somebody is to get: the body once, however many get it.
CREATE TABLE notifier.message (
    pool    text   NOT NULL,
    seq     bigint NOT NULL,
    job     uuid   NOT NULL,
    project text   NOT NULL,
    type    text   NOT NULL,
    at_ms   bigint NOT NULL,
    body    bytea  NOT NULL,
    PRIMARY KEY (pool, seq)
);

-- One event for one subscription. No index on what changes, and room on the page for the change.
CREATE TABLE notifier.delivery (
    mailbox  int      NOT NULL,
    seq      bigint   NOT NULL,
    job      uuid     NOT NULL,
    -- when it was put in, or is to be tried again: its age counts from here
    born_ms  bigint   NOT NULL,
    due_ms   bigint   NOT NULL DEFAULT 0,
    ended_ms bigint   NOT NULL DEFAULT 0,
    -- 0 pending, 1 delivered, 2 dead
    state    smallint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    -- of the last answer, 0 for none
    status   smallint NOT NULL DEFAULT 0,
    error    text     NOT NULL DEFAULT '',
    PRIMARY KEY (mailbox, seq)
) WITH (fillfactor = 80);

CREATE INDEX delivery_job ON notifier.delivery (job);

-- The dead ones apart, so that they are found without a search through all that arrived.
CREATE TABLE notifier.dead_letter (
    mailbox int    NOT NULL,
    seq     bigint NOT NULL,
    PRIMARY KEY (mailbox, seq)
);

-- Writes results down. A function, since its plan must go by the key even where the server believes
-- the table to be small: plans are kept, and the table grows quickly.
CREATE FUNCTION notifier.settle(
    mailboxes int[], seqs bigint[], states smallint[], tries smallint[], answers smallint[],
    dues bigint[], ends bigint[], errors text[]) RETURNS void
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    WITH settled AS (
        UPDATE notifier.delivery d
        SET state = r.state, attempts = r.tries, status = r.answer, due_ms = r.due,
            ended_ms = r.ended, error = r.error
        FROM unnest(mailboxes, seqs, states, tries, answers, dues, ends, errors)
            AS r(mailbox, seq, state, tries, answer, due, ended, error)
        WHERE d.mailbox = r.mailbox AND d.seq = r.seq AND d.state = 0
        RETURNING d.mailbox, d.seq, d.state
    )
    INSERT INTO notifier.dead_letter (mailbox, seq)
    SELECT s.mailbox, s.seq FROM settled s WHERE s.state = 2
    ON CONFLICT DO NOTHING;
END $$;

-- What other services may read.
CREATE VIEW notifier.pub_mailbox AS
    SELECT id, subscription, pool FROM notifier.mailbox;

CREATE VIEW notifier.pub_delivery AS
    SELECT d.mailbox, d.seq, b.subscription, b.pool, d.job, m.project, m.type, m.at_ms, d.state,
        d.attempts, d.status, d.error, d.born_ms, d.due_ms, d.ended_ms
    FROM notifier.delivery d
    JOIN notifier.mailbox b ON b.id = d.mailbox
    JOIN notifier.message m ON m.pool = b.pool AND m.seq = d.seq;

CREATE VIEW notifier.pub_dead_letter AS
    SELECT d.* FROM notifier.dead_letter l
    JOIN notifier.pub_delivery d ON d.mailbox = l.mailbox AND d.seq = l.seq;

CREATE VIEW notifier.pub_message AS
    SELECT pool, seq, body FROM notifier.message;
