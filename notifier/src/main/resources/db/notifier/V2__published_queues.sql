-- What other services and `muster doctor` may read of what waits.
CREATE VIEW notifier.pub_position AS
    SELECT pool, seq, holder, lease_until FROM notifier.position;

-- The first delivery of each mailbox that waits: below low_seq all have ended, so that a look at a
-- mailbox begins where its work is.
CREATE VIEW notifier.pub_waiting AS
    SELECT b.id AS mailbox, b.subscription, b.pool, d.seq, d.born_ms
    FROM notifier.mailbox b, LATERAL (
        SELECT seq, born_ms FROM notifier.delivery
        WHERE mailbox = b.id AND seq > b.low_seq AND state = 0 ORDER BY seq LIMIT 1) d;
