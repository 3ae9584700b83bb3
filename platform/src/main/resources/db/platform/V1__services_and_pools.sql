-- Who runs where: one row per live service, beaten every second.
CREATE TABLE service (
    id      text PRIMARY KEY,
    role    text NOT NULL,
    pools   text[] NOT NULL,
    url     text NOT NULL,
    beat_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE VIEW pub_service AS
SELECT id, role, pools, url, beat_at, beat_at > clock_timestamp() - interval '5 seconds' AS live
FROM service;

-- A pool and the partition that is stored for it, given once.
CREATE TABLE pool (
    name       text PRIMARY KEY,
    partition  integer NOT NULL UNIQUE CHECK (partition >= 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO pool (name, partition) VALUES ('public', 0);

CREATE VIEW pub_pool AS SELECT name, partition, created_at FROM pool;

-- Gives the next free partition to a new pool; a known pool keeps its own.
CREATE FUNCTION declare_pool(wanted text, partitions integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    given integer;
BEGIN
    LOCK TABLE pool IN SHARE ROW EXCLUSIVE MODE;
    SELECT partition INTO given FROM pool WHERE name = wanted;
    IF given IS NULL THEN
        SELECT max(partition) + 1 INTO given FROM pool;
        IF given >= partitions THEN
            RAISE EXCEPTION 'pool % needs partition %, and each topic has only % (kafka.partitions)',
                wanted, given, partitions;
        END IF;
        INSERT INTO pool (name, partition) VALUES (wanted, given);
    END IF;
    RETURN given;
END $$;
