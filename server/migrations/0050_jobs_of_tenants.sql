-- A tenant's jobs belong to that tenant: its transactions enqueue no other tenant's, and its members see which of their
-- own failed for good.

create or replace function enqueue_job(task text, payload json, job_key text, delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not starts_with(job_key, task || ':') then
    raise exception 'the key of a job begins with its task';
  end if;
  if char_length(job_key) > 200 or octet_length(payload::text) > 4096 then
    raise exception 'the key or the payload of a job is too long';
  end if;
  if payload->>'tenant_id' <> public.current_tenant_id()::text then
    raise exception 'a transaction of one tenant enqueues no job of another';
  end if;
  insert into pgboss.job_common (name, data, singleton_key, start_after, keep_until, policy, retry_limit, retry_delay,
      retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds)
    select name, payload::jsonb, job_key, now() + make_interval(secs => delay_seconds),
      now() + make_interval(secs => delay_seconds) + make_interval(secs => retention_seconds), policy, retry_limit,
      retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds
    from pgboss.queue where name = enqueue_job.task and notify and policy = 'exclusive'
    on conflict (name, coalesce(singleton_key, '')) where state <= 'active' and policy = 'exclusive' do update
      set id = excluded.id, data = excluded.data, state = 'created', retry_count = 0, start_after = excluded.start_after,
        created_on = excluded.created_on, started_on = null, heartbeat_on = null, keep_until = excluded.keep_until,
        retry_limit = excluded.retry_limit, retry_delay = excluded.retry_delay, retry_backoff = excluded.retry_backoff,
        retry_delay_max = excluded.retry_delay_max, expire_seconds = excluded.expire_seconds,
        deletion_seconds = excluded.deletion_seconds, dead_letter = excluded.dead_letter,
        heartbeat_seconds = excluded.heartbeat_seconds, output = null;
  if not found then
    raise exception 'no queue has the name of this task';
  end if;
  delete from pgboss.job_common where name = 'dead-letters' and source_name = enqueue_job.task and singleton_key = job_key;
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find jobs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), task);
  end if;
end
$$;

create or replace function wake_webhooks(tenants uuid[], webhooks uuid[], delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from unnest(tenants) as t(tenant_id) where t.tenant_id <> public.current_tenant_id()) then
    raise exception 'a transaction of one tenant wakes no webhook of another';
  end if;
  insert into pgboss.job_common as job (name, data, singleton_key, group_id, start_after, keep_until, policy, retry_limit,
      retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds)
    select q.name, jsonb_build_object('tenant_id', t.tenant_id, 'webhook_id', t.webhook_id), t.webhook_id, t.webhook_id,
      now() + make_interval(secs => delay_seconds),
      now() + make_interval(secs => delay_seconds) + make_interval(secs => q.retention_seconds), q.policy, q.retry_limit,
      q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.dead_letter,
      q.heartbeat_seconds
    from pgboss.queue q, unnest(tenants, webhooks) as t(tenant_id, webhook_id)
    where q.name = 'deliver-webhook'
    on conflict (name, state, coalesce(singleton_key, '')) where state <= 'active' and policy = 'stately' do update
      set start_after = excluded.start_after where job.start_after > excluded.start_after;
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find runs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), 'deliver-webhook');
  end if;
end
$$;

-- The jobs of the transaction's tenant that failed at every attempt. Their payloads and errors stay with the operator.
create function failed_jobs() returns table (task text, jobs integer, last_failed_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select source_name, count(*)::integer, max(created_on) from pgboss.job_common
    where name = 'dead-letters' and state < 'active' and data->>'tenant_id' = public.current_tenant_id()::text
    group by source_name order by source_name;
$$;
revoke execute on function failed_jobs() from public;
grant execute on function failed_jobs() to strongroom_app;
