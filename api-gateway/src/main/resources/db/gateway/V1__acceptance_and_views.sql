-- A lane's head: the one row that fences its writer. It is updated in the statement that writes the
-- lane's rows, and only where the epoch is still the writer's.
CREATE TABLE gateway.lane_head (
    lane  text   PRIMARY KEY,
    id    int    NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    -- the process that took it over last; it raises the epoch again after an unknown outcome
    owner uuid   NOT NULL,
    epoch bigint NOT NULL CHECK (epoch >= 1),
    n     bigint NOT NULL CHECK (n >= 0)
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- An accepted specification, once and for ever. It is also its own outbox row: (lane, n) is its place
-- on the lane, published from memory and read back only after a restart.
CREATE TABLE gateway.job_spec (
    job            uuid   PRIMARY KEY,
    lane           int    NOT NULL,
    n              bigint NOT NULL,
    project        text   NOT NULL,
    accepted_at_ms bigint NOT NULL,
    spec_hash      bytea  NOT NULL,
    spec           bytea  NOT NULL
);

CREATE UNIQUE INDEX job_spec_lane_n ON gateway.job_spec (lane, n);

-- Commands other than submissions, at their places on the same lanes.
CREATE TABLE gateway.intent (
    lane   int         NOT NULL,
    n      bigint      NOT NULL,
    type   text        NOT NULL,
    body   bytea       NOT NULL,
    at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (lane, n)
);

CREATE INDEX intent_at ON gateway.intent (at);

-- What a client's Idempotency-Key led to.
CREATE TABLE gateway.idempotency (
    project   text        NOT NULL,
    key       text        NOT NULL,
    job       uuid        NOT NULL,
    spec_hash bytea       NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, key)
);

CREATE INDEX idempotency_at ON gateway.idempotency (at);

-- What users see of a job. Narrow, with room on the page for updates in place, and no index on a
-- column that changes.
CREATE TABLE gateway.job_view (
    job             uuid     PRIMARY KEY,
    submitted_at_ms bigint   NOT NULL,
    started_at_ms   bigint,
    ended_at_ms     bigint,
    priority        smallint NOT NULL,
    instances       int      NOT NULL,
    -- of one instance, in thousandths of a device
    accelerators    int      NOT NULL,
    attempt         int      NOT NULL DEFAULT 0,
    pool            text     NOT NULL,
    project         text     NOT NULL,
    queue           text     NOT NULL,
    name            text     NOT NULL,
    state           text     NOT NULL DEFAULT 'SUBMITTED',
    reason_code     text     NOT NULL DEFAULT '',
    reason          text     NOT NULL DEFAULT '',
    cause           text     NOT NULL DEFAULT '',
    message         text     NOT NULL DEFAULT '',
    -- where the job's events lie in the pool's journal: each names a run of 64 seqs from it on
    runs            bigint[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 70);

CREATE TABLE gateway.node_view (
    pool             text    NOT NULL,
    node             text    NOT NULL,
    cpu_millis       int     NOT NULL,
    memory_mebibytes int     NOT NULL,
    accelerator      text    NOT NULL,
    devices          int     NOT NULL,
    supernode        text    NOT NULL,
    ready            boolean NOT NULL,
    cordoned         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (pool, node)
) WITH (fillfactor = 70);

-- The nodes of live attempts: what is used, and where an instance's log is.
CREATE TABLE gateway.grant_view (
    job     uuid    PRIMARY KEY,
    pool    text    NOT NULL,
    attempt int     NOT NULL,
    -- of each instance, in order of index
    nodes   text[]  NOT NULL
) WITH (fillfactor = 70);

-- How far a pool's events are folded into the views. The lease only avoids double work; what is safe
-- is that a writer moves the position from where it believes it to be.
CREATE TABLE gateway.view_position (
    pool        text        PRIMARY KEY,
    seq         bigint      NOT NULL CHECK (seq >= 0),
    holder      text        NOT NULL,
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 25, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- What other services may read.
CREATE VIEW gateway.pub_spec AS
    SELECT job, project, encode(spec_hash, 'hex') AS spec_hash, spec FROM gateway.job_spec;

CREATE VIEW gateway.pub_submission AS
    SELECT h.lane, s.n, s.job, s.accepted_at_ms
    FROM gateway.job_spec s JOIN gateway.lane_head h ON h.id = s.lane;

CREATE VIEW gateway.pub_lane AS
    SELECT lane, epoch, n FROM gateway.lane_head;

CREATE VIEW gateway.pub_job AS
    SELECT job, pool, project, name, state, attempt FROM gateway.job_view;

CREATE VIEW gateway.pub_view_position AS
    SELECT pool, seq FROM gateway.view_position;
