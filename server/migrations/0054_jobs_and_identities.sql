-- A transaction of a tenant enqueues only jobs that name the tenant, and replaces only jobs of the tenant.
create or replace function enqueue_job(task text, payload json, job_key text, delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  tenant text := public.current_tenant_id()::text;
begin
  if not starts_with(job_key, task || ':') then
    raise exception 'the key of a job begins with its task';
  end if;
  if char_length(job_key) > 200 or octet_length(payload::text) > 4096 then
    raise exception 'the key or the payload of a job is too long';
  end if;
  if tenant is not null and payload->>'tenant_id' is distinct from tenant then
    raise exception 'a transaction of one tenant enqueues no job of another';
  end if;
  insert into pgboss.job_common as job (name, data, singleton_key, start_after, keep_until, policy, retry_limit, retry_delay,
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
        heartbeat_seconds = excluded.heartbeat_seconds, output = null
      where tenant is null or job.data->>'tenant_id' = tenant;
  if not found then
    raise exception 'no queue has the name of this task, or the key belongs to a job of another tenant';
  end if;
  delete from pgboss.job_common where name = 'dead-letters' and source_name = enqueue_job.task and singleton_key = job_key
    and (tenant is null or data->>'tenant_id' = tenant);
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find jobs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), task);
  end if;
end
$$;

-- A run of another tenant under the key of a webhook, which that tenant could have enqueued, does not take the place of a
-- real one. The sealer, whose transactions have no tenant, knows whose the webhook is.
create or replace function wake_webhooks(tenants uuid[], webhooks uuid[], delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := public.current_tenant_id();
begin
  if tenant is not null and exists (select from unnest(tenants) as t(tenant_id) where t.tenant_id is distinct from tenant) then
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
      set data = excluded.data, start_after = least(job.start_after, excluded.start_after)
      where (job.start_after > excluded.start_after and job.data = excluded.data)
        or (tenant is null and job.data <> excluded.data);
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find runs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), 'deliver-webhook');
  end if;
end
$$;

-- Who was connected to an account at the provider once. A person who has disconnected it and was removed would otherwise become
-- somebody new at the next sign-in there, if the provider knows them by another address by then.
create table former_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id) on delete cascade,
  constraint former_identities_pkey primary key (issuer, subject)
);
create index former_identities_of_user on former_identities (user_id);
alter table former_identities enable row level security;
alter table former_identities force row level security;
create policy former_identities_portal on former_identities to strongroom_portal using (true) with check (true);
grant select, insert, update on former_identities to strongroom_portal;

create function remember_former_identity() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  -- If the user is being deleted, there is nothing to remember.
  insert into former_identities (issuer, subject, user_id)
    select old.issuer, old.subject, u.id from users u where u.id = old.user_id
    on conflict (issuer, subject) do update set user_id = excluded.user_id;
  return null;
end
$$;

create or replace function join_by_provider(given_issuer text, given_subject text, address text, new_id uuid) returns uuid
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  found_id uuid;
  found_free boolean;
begin
  select user_id into found_id from user_identities where issuer = given_issuer and subject = given_subject;
  if found then
    -- Of two sign-ins at the same time, the second one sees what the first one has joined.
    perform from users where id = found_id for no key update;
    return found_id;
  end if;
  -- The account at the provider is that of a user who exists, whatever its address is now.
  if exists (select from former_identities where issuer = given_issuer and subject = given_subject) then
    return null;
  end if;
  select joined.id, joined.is_free into strict found_id, found_free from join_user(address, new_id) joined;
  if not found_free then
    -- The same person may have joined while this waited for the row of the user.
    return (select user_id from user_identities where issuer = given_issuer and subject = given_subject);
  end if;
  insert into user_identities (user_id, issuer, subject) values (found_id, given_issuer, given_subject);
  return found_id;
end
$$;

grant create on schema public to strongroom_portal;
alter function remember_former_identity() owner to strongroom_portal;
revoke create on schema public from strongroom_portal;
revoke execute on function remember_former_identity() from public;
create trigger identities_remember after delete on user_identities for each row execute function remember_former_identity();
