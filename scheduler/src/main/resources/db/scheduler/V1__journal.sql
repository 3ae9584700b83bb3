-- The pool's head: the one row that fences. Every append updates it in the statement that writes the
-- journal row, and only where epoch and seq are still those that the writer knows.
CREATE TABLE scheduler.pool_head (
    pool        text        PRIMARY KEY,
    epoch       bigint      NOT NULL CHECK (epoch >= 0),
    seq         bigint      NOT NULL CHECK (seq >= 0),
    -- time of the last journalled batch, in milliseconds since 1970, by the leaders' clocks
    at_ms       bigint      NOT NULL,
    -- lane -> n: all that the journal has taken; what counts as delivered
    positions   jsonb       NOT NULL,
    -- next offsets in the partitions of commands and reports: where to look first, never the truth
    offsets     jsonb       NOT NULL,
    holder      text        NOT NULL,
    -- by PostgreSQL's clock
    lease_until timestamptz NOT NULL,
    -- when the holder last showed itself, by its own clock, and where the epoch before ended: an
    -- outage lasted from there to the first batch of this epoch
    beat_ms     bigint      NOT NULL,
    outage_from_ms bigint   NOT NULL
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- One row per batch: the inputs verbatim and the events that they led to.
CREATE TABLE scheduler.journal (
    pool           text        NOT NULL,
    first_seq      bigint      NOT NULL,
    last_seq       bigint      NOT NULL,
    at             timestamptz NOT NULL,
    at_ms          bigint      NOT NULL,
    epoch          bigint      NOT NULL,
    code_version   int         NOT NULL,
    policy_version int         NOT NULL,
    positions      jsonb       NOT NULL,
    body           bytea       NOT NULL,
    CHECK (first_seq >= 1 AND last_seq >= first_seq)
) PARTITION BY RANGE (at);

-- The body is compressed already: another attempt by the server would only cost time.
ALTER TABLE scheduler.journal ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE INDEX journal_pool_last_seq ON scheduler.journal (pool, last_seq);

-- Takes what no other partition does, such as rows of a server whose clock jumped.
CREATE TABLE scheduler.journal_other PARTITION OF scheduler.journal DEFAULT;

-- Makes the partitions of this week and the following ones. A week that already has rows in the
-- default partition stays there.
CREATE FUNCTION scheduler.make_journal_partitions(weeks_ahead int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    week timestamptz := date_trunc('week', now(), 'UTC');
    name text;
    made int := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('scheduler.make_journal_partitions'));
    FOR i IN 0 .. weeks_ahead LOOP
        name := 'journal_' || to_char(week AT TIME ZONE 'UTC', 'IYYY"w"IW');
        IF to_regclass('scheduler.' || name) IS NULL
            AND NOT EXISTS (
                SELECT FROM scheduler.journal_other
                WHERE at >= week AND at < week + interval '7 days')
        THEN
            EXECUTE format(
                'CREATE TABLE scheduler.%I PARTITION OF scheduler.journal FOR VALUES FROM (%L) TO (%L)',
                name, week, week + interval '7 days');
            made := made + 1;
        END IF;
        week := week + interval '7 days';
    END LOOP;
    RETURN made;
END $$;

SELECT scheduler.make_journal_partitions(1);

-- The whole live state after the event seq, so that a fold need not begin at the first row.
CREATE TABLE scheduler.snapshot (
    pool         text        NOT NULL,
    seq          bigint      NOT NULL,
    state_hash   bytea       NOT NULL,
    positions    jsonb       NOT NULL,
    body         bytea       NOT NULL,
    code_version int         NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (pool, seq)
);

ALTER TABLE scheduler.snapshot ALTER COLUMN body SET STORAGE EXTERNAL;

-- What other services may read.
CREATE VIEW scheduler.pub_pool_head AS
    SELECT pool, epoch, seq, at_ms, positions, holder, lease_until FROM scheduler.pool_head;

CREATE VIEW scheduler.pub_journal AS
    SELECT pool, first_seq, last_seq, at, at_ms, epoch, code_version, policy_version, positions, body
    FROM scheduler.journal;

CREATE VIEW scheduler.pub_snapshot AS
    SELECT pool, seq, state_hash, positions, body, code_version, at FROM scheduler.snapshot;
