-- Webhooks: endpoints of a tenant that receive the events of its sealed audit log.
create table webhooks (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  notify_email text,
  events text[] not null,
  containers text[],
  batch_size smallint not null default 1,
  has_bt_signature boolean not null default false,
  secrets_sealed bytea not null,
  status text not null default 'enabled',
  disabled_reason text,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  granted_by uuid,
  constraint webhooks_pkey primary key (tenant_id, id),
  constraint webhooks_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint webhooks_status_known check (status in ('enabled', 'disabled')),
  constraint webhooks_reason_known check (disabled_reason in ('request', 'failing', 'gone', 'owner')),
  constraint webhooks_reason_given check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhooks_batch_bounded check (batch_size between 1 and 100)
);
comment on column webhooks.containers is 'Events about tokens are sent only for these containers; null for all.';
comment on column webhooks.secrets_sealed is 'JSON with the signing secrets, encrypted with the data key of the tenant.';
comment on column webhooks.granted_by is 'The member on whose authority it was last set; null for the operator.';
create index webhooks_newest on webhooks (tenant_id, created_at desc, id desc);

-- A table of its own, because it changes with every delivery and the endpoint hardly ever.
create table webhook_positions (
  tenant_id uuid not null,
  webhook_id uuid not null,
  position bigint not null,
  failing_since timestamptz(3),
  failures integer not null default 0,
  resume_at timestamptz(3),
  constraint webhook_positions_pkey primary key (tenant_id, webhook_id),
  constraint webhook_positions_webhook_fkey foreign key (tenant_id, webhook_id)
    references webhooks (tenant_id, id) on delete cascade
) with (fillfactor = 50);
comment on column webhook_positions.position is 'How many leaves of the tree of the tenant are settled.';
comment on column webhook_positions.failures is 'How many requests have failed since the last success.';
comment on column webhook_positions.resume_at is 'No request is sent before this time.';

create table webhook_deliveries (
  tenant_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  status text not null,
  event_ids uuid[] not null,
  event_types text[] not null,
  entity_id text,
  leaves bigint[] not null,
  is_resent boolean not null default false,
  attempts integer not null,
  created_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  next_at timestamptz(3),
  response_status smallint,
  duration_ms integer,
  error text,
  response text,
  constraint webhook_deliveries_pkey primary key (tenant_id, webhook_id, id),
  constraint webhook_deliveries_webhook_fkey foreign key (tenant_id, webhook_id)
    references webhooks (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_status_known check (status in ('delivered', 'waiting', 'failed'))
);
comment on column webhook_deliveries.id is 'The webhook-id: the id of the event, or one derived from the ids of a batch.';
comment on column webhook_deliveries.leaves is 'Where the events are in the tree of the tenant.';
comment on column webhook_deliveries.next_at is 'When a waiting event is sent again; null if it waits behind an earlier one.';
comment on column webhook_deliveries.response is 'The beginning of the last response, with long numbers masked.';
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, webhook_id, last_at desc, id desc);
create index webhook_deliveries_waiting on webhook_deliveries (tenant_id, webhook_id, (leaves[1])) where status = 'waiting';

-- The keys of BT-SIGNATURE belong to the installation.
create table webhook_signature_keys (
  version integer not null,
  private_key_sealed bytea not null,
  public_key text not null,
  created_at timestamptz(3) not null default now(),
  constraint webhook_signature_keys_pkey primary key (version)
);
comment on column webhook_signature_keys.private_key_sealed is 'RSA key as PEM, encrypted with a key of the installation.';

do $$
declare
  name text;
begin
  foreach name in array array['webhooks', 'webhook_positions', 'webhook_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to strongroom_app using (tenant_id = current_tenant_id())
      with check (tenant_id = current_tenant_id())', name || '_isolation', name);
    execute format('grant select, insert, update, delete on %I to strongroom_app', name);
  end loop;
end
$$;
-- The worker wakes endpoints of all tenants and measures how far behind they are. It sees neither addresses nor secrets.
create policy webhooks_system on webhooks for select to strongroom_sealer using (true);
create policy webhook_positions_system on webhook_positions for select to strongroom_sealer using (true);
grant select (tenant_id, id, status) on webhooks to strongroom_sealer;
grant select on webhook_positions to strongroom_sealer;
alter table webhook_signature_keys enable row level security;
alter table webhook_signature_keys force row level security;
create policy webhook_signature_keys_system on webhook_signature_keys to strongroom_system using (true) with check (true);
grant select, insert on webhook_signature_keys to strongroom_system;

-- Runs of one endpoint share a group, in which a worker runs one at a time. One more can wait for it to end.
select pgboss.create_queue('deliver-webhook', '{"policy": "stately", "notify": true, "retryLimit": 100, "retryDelay": 1,
  "retryBackoff": true, "retryDelayMax": 4096, "heartbeatSeconds": 10, "expireInSeconds": 3660, "deleteAfterSeconds": 60,
  "retentionSeconds": 315360000, "deadLetter": "dead-letters"}');
select pgboss.create_queue('mail-webhook', '{"policy": "exclusive", "notify": true, "deadLetter": "dead-letters",
  "retryLimit": 100, "retryDelay": 1, "retryBackoff": true, "retryDelayMax": 4096, "heartbeatSeconds": 30,
  "expireInSeconds": 3660, "deleteAfterSeconds": 3600, "retentionSeconds": 315360000}');

-- Enqueues a run for each of these endpoints. A run that is waiting starts earlier if it was to start later. A run that is
-- under way is followed by another, because it may have looked at the log already.
create function wake_webhooks(tenants uuid[], webhooks uuid[], delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into pgboss.job_common as job (name, data, singleton_key, group_id, start_after, keep_until, policy, retry_limit,
      retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds)
    select q.name, jsonb_build_object('tenant_id', t.tenant_id, 'webhook_id', t.webhook_id), t.webhook_id, t.webhook_id,
      now() + make_interval(secs => delay_seconds),
      now() + make_interval(secs => delay_seconds) + make_interval(secs => q.retention_seconds), q.policy, q.retry_limit,
      q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.dead_letter,
      q.heartbeat_seconds
    from pgboss.queue q, unnest(tenants, webhooks) as t(tenant_id, webhook_id) where q.name = 'deliver-webhook'
    on conflict (name, state, coalesce(singleton_key, '')) where state <= 'active' and policy = 'stately' do update
      set start_after = excluded.start_after where job.start_after > excluded.start_after;
  -- Workers listen on this channel (notifyChannelSql of pg-boss). They find runs that start later by polling.
  if delay_seconds <= 0 then
    perform pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), 'deliver-webhook');
  end if;
end
$$;
revoke execute on function wake_webhooks(uuid[], uuid[], integer) from public;
grant execute on function wake_webhooks(uuid[], uuid[], integer) to strongroom_app, strongroom_sealer;
