-- Jobs that ended long ago lie apart from those that change: in a partition of their own, which is
-- written once, so that it may have an index for every way of asking, and the live one stays small.
-- Whoever names gateway.job_view sees both.
DROP VIEW gateway.pub_job;

ALTER TABLE gateway.job_view RENAME TO job_view_live;
ALTER TABLE gateway.job_view_live ADD COLUMN archived boolean NOT NULL DEFAULT false;
ALTER TABLE gateway.job_view_live DROP CONSTRAINT job_view_pkey;
ALTER TABLE gateway.job_view_live ADD PRIMARY KEY (job, archived);

CREATE TABLE gateway.job_view (
    LIKE gateway.job_view_live INCLUDING DEFAULTS, PRIMARY KEY (job, archived)
) PARTITION BY LIST (archived);

ALTER TABLE gateway.job_view ATTACH PARTITION gateway.job_view_live FOR VALUES IN (false);
CREATE TABLE gateway.job_view_archive PARTITION OF gateway.job_view FOR VALUES IN (true);

CREATE INDEX job_view_archive_project ON gateway.job_view_archive (project, job);
CREATE INDEX job_view_archive_project_state ON gateway.job_view_archive (project, state, job);
CREATE INDEX job_view_archive_state ON gateway.job_view_archive (state, job);
CREATE INDEX job_view_archive_pool ON gateway.job_view_archive (pool, job);
CREATE INDEX job_view_archive_name ON gateway.job_view_archive (name text_pattern_ops, job);

CREATE VIEW gateway.pub_job AS
    SELECT job, pool, project, name, state, attempt, cause, message, ended_at_ms, archived
    FROM gateway.job_view;
