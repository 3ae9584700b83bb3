-- What `muster admin epoch` shows.
CREATE VIEW monitor.pub_lease AS
SELECT pool, shard, holder, epoch, lease_until, lease_until > clock_timestamp() AS live
FROM monitor.lease;
