-- Log streams: copies of the sealed audit log that workers send to systems of the operator.
create table audit_streams (
  name text not null,
  started_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  failing_since timestamptz(3),
  failures integer not null default 0,
  resume_at timestamptz(3),
  last_error text,
  constraint audit_streams_pkey primary key (name)
);
comment on column audit_streams.failures is 'How many attempts have failed since the last success.';
comment on column audit_streams.resume_at is 'Nothing is sent before this time.';
comment on column audit_streams.last_error is 'Why the last attempt failed, in words of the vault; null after a success.';

-- Like the log itself, positions outlive their tenant: the record of its deletion is sealed afterwards.
create table audit_stream_positions (
  tenant_id uuid not null,
  stream text not null,
  number bigint not null,
  is_base boolean not null default false,
  constraint audit_stream_positions_pkey primary key (tenant_id, stream),
  constraint audit_stream_positions_stream_fkey foreign key (stream) references audit_streams (name) on delete cascade
) with (fillfactor = 50);
create index audit_stream_positions_of_stream on audit_stream_positions (stream);
comment on column audit_stream_positions.number is 'The newest checkpoint of the tenant that the receiver has accepted.';
comment on column audit_stream_positions.is_base is 'The stream begins after this checkpoint, which the receiver has yet to get.';

do $$
declare
  name text;
begin
  foreach name in array array['audit_streams', 'audit_stream_positions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to strongroom_sealer using (true) with check (true)', name || '_sealer', name);
    execute format('grant select, insert, update on %I to strongroom_sealer', name);
  end loop;
end
$$;

-- Runs of one stream share a group, in which a worker runs one at a time. One more can wait for it to end.
select pgboss.create_queue('stream-log', '{"policy": "stately", "notify": true, "retryLimit": 100, "retryDelay": 1,
  "retryBackoff": true, "retryDelayMax": 4096, "heartbeatSeconds": 10, "expireInSeconds": 3660, "deleteAfterSeconds": 60,
  "retentionSeconds": 315360000, "deadLetter": "dead-letters"}');

-- Enqueues a run for each of these streams, like wake_webhooks does for endpoints.
create function wake_log_streams(streams text[], delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into pgboss.job_common as job (name, data, singleton_key, group_id, start_after, keep_until, policy, retry_limit,
      retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds)
    select q.name, jsonb_build_object('stream', stream), stream, stream, now() + make_interval(secs => delay_seconds),
      now() + make_interval(secs => delay_seconds) + make_interval(secs => q.retention_seconds), q.policy, q.retry_limit,
      q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.dead_letter,
      q.heartbeat_seconds
    from pgboss.queue q, unnest(streams) as stream where q.name = 'stream-log'
    on conflict (name, state, coalesce(singleton_key, '')) where state <= 'active' and policy = 'stately' do update
      set start_after = excluded.start_after where job.start_after > excluded.start_after;
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find runs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), 'stream-log');
  end if;
end
$$;
revoke execute on function wake_log_streams(text[], integer) from public;
grant execute on function wake_log_streams(text[], integer) to strongroom_sealer;
