-- Raised with each change of a subscription. Whoever changes one holds this row until its commit, so
-- versions rise in the order of commits, and a reader that asks for those above one misses none.
CREATE TABLE gateway.subscription_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
) WITH (fillfactor = 25);

INSERT INTO gateway.subscription_version (version) VALUES (0);

-- Who is told of which events. A deleted one stays for a while, so that notifiers see that it went.
CREATE TABLE gateway.subscription (
    id            uuid        PRIMARY KEY,
    version       bigint      NOT NULL,
    project       text        NOT NULL,
    -- null: all jobs of the project
    job           uuid,
    url           text        NOT NULL,
    -- empty: all
    types         text[]      NOT NULL,
    -- pool -> seq: events up to it were there before the subscription
    since         jsonb       NOT NULL,
    -- sealed under secrets.key; the old one signs too until its time is over
    secret        bytea       NOT NULL,
    old_secret    bytea,
    old_until_ms  bigint,
    created_at_ms bigint      NOT NULL,
    deleted       boolean     NOT NULL DEFAULT false,
    deleted_at    timestamptz
);

CREATE UNIQUE INDEX subscription_by_version ON gateway.subscription (version);
CREATE INDEX subscription_by_project ON gateway.subscription (project, id) WHERE NOT deleted;
CREATE INDEX subscription_by_job ON gateway.subscription (job) WHERE job IS NOT NULL;

-- What other services may read.
CREATE VIEW gateway.pub_subscription AS
    SELECT id, version, project, job, url, types, since, secret, old_secret, old_until_ms, deleted
    FROM gateway.subscription;

CREATE VIEW gateway.pub_subscription_version AS
    SELECT version FROM gateway.subscription_version;
