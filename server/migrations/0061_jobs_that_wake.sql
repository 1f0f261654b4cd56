-- A job that wakes a webhook or a log stream carries nothing: what is to be sent is in tables, and the next sealed record
-- wakes it again. When its worker dies while another job for the same one waits, pg-boss ends it. It must not count as
-- work that has failed for good.
update pgboss.queue set dead_letter = null where name in ('deliver-webhook', 'stream-log');
update pgboss.job_common set dead_letter = null where name in ('deliver-webhook', 'stream-log');
