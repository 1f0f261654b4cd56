-- A token and everything about it share the token id as distribution key, so that the table can be spread over many
-- machines: every key below contains it, and nothing refers to another distributed table.
create table tokens (
  tenant_id uuid not null,
  id text not null,
  type text not null,
  version integer not null default 1,
  data bytea not null,
  mask text,
  containers text[] not null,
  metadata jsonb,
  search_indexes text,
  fingerprint text,
  fingerprint_expression text,
  expires_at timestamptz(3),
  expires_at_offset_minutes smallint,
  created_by uuid not null,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint tokens_pkey primary key (tenant_id, id),
  constraint tokens_id_length check (char_length(id) between 3 and 400),
  constraint tokens_expiry_whole check ((expires_at is null) = (expires_at_offset_minutes is null))
);
comment on column tokens.data is 'Ciphertext: the JSON text of the data, bound to tenant, token, field, type and version.';
comment on column tokens.version is 'Counts the writes of this row; part of what the ciphertext is bound to.';
comment on column tokens.mask is 'JSON text of the mask as supplied; null where the default of the type applies.';
comment on column tokens.search_indexes is 'JSON text of the index expressions as supplied.';
create index tokens_newest on tokens (tenant_id, created_at desc, id desc);

-- How many tokens a tenant has, by type and containers, so that no request counts rows. Each server process adds to a
-- slot of its own: two servers never wait for each other here.
create table token_counts (
  tenant_id uuid not null,
  type text not null,
  containers text[] not null,
  slot smallint not null,
  tokens bigint not null,
  last_created_at timestamptz(3),
  constraint token_counts_pkey primary key (tenant_id, type, containers, slot)
) with (fillfactor = 50);

alter table tokens enable row level security;
alter table tokens force row level security;
create policy tokens_isolation on tokens to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

alter table token_counts enable row level security;
alter table token_counts force row level security;
create policy token_counts_isolation on token_counts to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

grant select, insert, update, delete on tokens, token_counts to strongroom_app;
