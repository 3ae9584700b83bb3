-- Who may judge a pool's jobs. Taking the lease raises the epoch, which names the monitor's lane.
CREATE TABLE monitor.lease (
    pool        text        NOT NULL,
    shard       int         NOT NULL CHECK (shard >= 0),
    holder      text        NOT NULL,
    epoch       bigint      NOT NULL CHECK (epoch >= 0),
    -- by PostgreSQL's clock
    lease_until timestamptz NOT NULL,
    PRIMARY KEY (pool, shard)
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- One row a job and minute: what its instances' signals said last within it.
CREATE TABLE monitor.sample (
    job           uuid   NOT NULL,
    minute        bigint NOT NULL, -- since 1970
    pool          text   NOT NULL,
    attempt       int    NOT NULL,
    instances     int    NOT NULL, -- that were heard of
    log_bytes     bigint NOT NULL, -- of all of them
    io_bytes      bigint NOT NULL, -- of all of them
    silent_millis bigint NOT NULL, -- the shortest silence among them
    step          bigint NOT NULL, -- the highest one, -1 for none
    PRIMARY KEY (job, minute)
);
CREATE INDEX sample_by_minute ON monitor.sample (minute);

-- What other services may read.
CREATE VIEW monitor.pub_sample AS
SELECT job, minute, pool, attempt, instances, log_bytes, io_bytes, silent_millis, step
FROM monitor.sample;
