-- Who may act on a pool's instances. Taking a shard raises its epoch, which every report carries.
CREATE TABLE executor.shard (
    pool        text        NOT NULL,
    shard       int         NOT NULL CHECK (shard >= 0),
    holder      text        NOT NULL,
    epoch       bigint      NOT NULL CHECK (epoch >= 0),
    -- by PostgreSQL's clock
    lease_until timestamptz NOT NULL,
    PRIMARY KEY (pool, shard)
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- What other services may read.
CREATE VIEW executor.pub_shard AS
SELECT pool, shard, holder, epoch, lease_until, lease_until > clock_timestamp() AS live
FROM executor.shard;
