-- A snapshot of any size lies in parts that are written one at a time; they count once the row of
-- the snapshot itself is there. Those of before have their body in that row.
CREATE TABLE scheduler.snapshot_part (
    pool text   NOT NULL,
    seq  bigint NOT NULL,
    n    int    NOT NULL CHECK (n >= 0),
    body bytea  NOT NULL,
    PRIMARY KEY (pool, seq, n)
);

-- Compressed already.
ALTER TABLE scheduler.snapshot_part ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE scheduler.snapshot ALTER COLUMN body DROP NOT NULL;

-- From the first part to the last one read back; 0 where it was not noted.
ALTER TABLE scheduler.snapshot ADD COLUMN took_ms bigint NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW scheduler.pub_snapshot AS
    SELECT pool, seq, state_hash, positions,
      coalesce(body, (
        SELECT string_agg(p.body, ''::bytea ORDER BY p.n) FROM scheduler.snapshot_part p
        WHERE p.pool = s.pool AND p.seq = s.seq)) AS body,
      code_version, at
    FROM scheduler.snapshot s;
