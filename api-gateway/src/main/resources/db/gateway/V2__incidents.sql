-- What went wrong with jobs, and what was done about it. Rows are only added and closed, never
-- changed back, so that folding an event twice does nothing.
CREATE TABLE gateway.incident_view (
    job          uuid   NOT NULL,
    incident     int    NOT NULL,
    attempt      int    NOT NULL,
    opened_at_ms bigint NOT NULL,
    closed_at_ms bigint,
    scenario     text   NOT NULL,
    -- empty while it is open
    result       text   NOT NULL DEFAULT '',
    message      text   NOT NULL,
    -- why it ended as it did
    reason       text   NOT NULL DEFAULT '',
    instances    int[]  NOT NULL,
    nodes        text[] NOT NULL,
    PRIMARY KEY (job, incident)
) WITH (fillfactor = 90);

-- The tiers that were tried in an incident, in order of seq: the order's event.
CREATE TABLE gateway.incident_restart (
    job                  uuid   NOT NULL,
    incident             int    NOT NULL,
    seq                  bigint NOT NULL,
    attempt              int    NOT NULL,
    at_ms                bigint NOT NULL,
    tier                 text   NOT NULL,
    scenario             text   NOT NULL,
    incarnation          int    NOT NULL,
    process_start        int    NOT NULL,
    -- of the job's budgets, this restart included
    restarts             int    NOT NULL,
    unconditional_in_row int    NOT NULL,
    hang_in_row          int    NOT NULL,
    PRIMARY KEY (job, incident, seq)
);

CREATE TABLE gateway.incident_evidence (
    job           uuid NOT NULL,
    incident      int  NOT NULL,
    index         int  NOT NULL,
    process_start int  NOT NULL,
    location      text NOT NULL,
    PRIMARY KEY (job, incident, index)
);
