-- Weeks of the journal that lie in the object store: each part has rows of one pool that follow on
-- each other. Rows leave scheduler.journal in the transaction that enters their parts here.
CREATE TABLE scheduler.rolled_week (
    -- the object that lists the parts
    manifest  text        PRIMARY KEY,
    bytes     int         NOT NULL,
    sha256    text        NOT NULL,
    week      text        NOT NULL,
    parts     int         NOT NULL,
    rows      bigint      NOT NULL,
    rolled_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE scheduler.rolled_part (
    pool      text   NOT NULL,
    first_seq bigint NOT NULL,
    last_seq  bigint NOT NULL,
    rows      int    NOT NULL,
    object    text   NOT NULL,
    bytes     int    NOT NULL,
    sha256    text   NOT NULL,
    manifest  text   NOT NULL,
    PRIMARY KEY (pool, last_seq),
    CHECK (first_seq >= 1 AND last_seq >= first_seq)
);

CREATE VIEW scheduler.pub_rolled_week AS
    SELECT manifest, bytes, sha256, week, parts, rows, rolled_at FROM scheduler.rolled_week;

CREATE VIEW scheduler.pub_rolled_part AS
    SELECT pool, first_seq, last_seq, rows, object, bytes, sha256, manifest
    FROM scheduler.rolled_part;

-- Weeks that ended so many weeks ago, and the table that has their rows: a partition of their own,
-- or the default one, where a restore puts them.
CREATE FUNCTION scheduler.old_journal_weeks(keep_weeks int)
RETURNS TABLE (week text, source text, begins timestamptz) LANGUAGE sql STABLE AS $$
    WITH kept AS (SELECT now() - keep_weeks * interval '168 hours' AS since),
    partitions AS (
        SELECT c.relname::text AS source,
            to_date(substr(c.relname, 9), 'IYYY"w"IW')::timestamp AT TIME ZONE 'UTC' AS begins
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'scheduler.journal'::regclass
            AND c.relname ~ '^journal_[0-9]{4}w[0-9]{2}$'),
    others AS (
        SELECT DISTINCT 'journal_other' AS source, date_trunc('week', j.at, 'UTC') AS begins
        FROM scheduler.journal_other j, kept WHERE j.at < kept.since)
    -- hours, since days are longer or shorter where clocks are put forward and back
    SELECT to_char(f.begins AT TIME ZONE 'UTC', 'IYYY"w"IW'), f.source, f.begins
    FROM (SELECT * FROM partitions UNION ALL SELECT * FROM others) f, kept
    WHERE f.begins + interval '168 hours' <= kept.since
    ORDER BY f.begins
$$;
