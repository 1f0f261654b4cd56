-- A token and everything about it share the token id as distribution key, so that the tables can be spread over many
-- machines: every key below contains it, and nothing refers to another distributed table.
create table tokens (
  tenant_id uuid not null,
  id text not null,
  type text not null,
  version integer not null default 1,
  data bytea not null,
  mask text,
  containers text[] not null,
  shelf text not null,
  metadata jsonb,
  search_indexes text,
  fingerprint text,
  fingerprint_expression text,
  terms bytea[] not null default '{}',
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
comment on column tokens.shelf is 'Type and containers as one text. Under row-level security PostgreSQL uses an index on text, but not on an array.';
comment on column tokens.search_indexes is 'JSON text of the index expressions as supplied; null where the default of the type applies.';
comment on column tokens.terms is 'The terms under which token_terms lists this token, so that they can be removed without opening it.';
create index tokens_newest on tokens (tenant_id, created_at desc, id desc) include (expires_at);
create index tokens_on_shelf on tokens (tenant_id, shelf, created_at desc, id desc) include (expires_at);
create index tokens_of_fingerprint on tokens (tenant_id, fingerprint) where fingerprint is not null;
create index tokens_expiring on tokens (tenant_id, expires_at) where expires_at is not null;

-- What tokens can be found by, as keyed hashes: values of search indexes and pairs of metadata. Newest first under each
-- term. A term says nothing without the tenant's index key.
create table token_terms (
  tenant_id uuid not null,
  term bytea not null,
  created_at timestamptz(3) not null,
  token_id text not null,
  constraint token_terms_pkey primary key (tenant_id, term, created_at, token_id)
);
comment on column token_terms.term is 'Keyed hash (128 bits of HMAC-SHA-256) of a search index value or a metadata pair.';

-- Card verification codes: sealed under keys that live an hour and only in memory, so a backup of this table opens nothing.
create table token_cvcs (
  tenant_id uuid not null,
  token_id text not null,
  token_version integer not null,
  sealed bytea not null,
  expires_at timestamptz(3) not null,
  constraint token_cvcs_pkey primary key (tenant_id, token_id)
);
comment on column token_cvcs.sealed is 'Ciphertext: the card verification code, under an epoch key that is never stored.';
comment on column token_cvcs.token_version is 'The version of the token that wrote the code; part of what the ciphertext is bound to.';
create index token_cvcs_expiring on token_cvcs (tenant_id, expires_at);

-- Two writers who want one token for one value meet at this row: whoever comes second waits, and then sees the first.
create table token_fingerprints (
  tenant_id uuid not null,
  fingerprint text not null,
  constraint token_fingerprints_pkey primary key (tenant_id, fingerprint)
);

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

alter table token_terms enable row level security;
alter table token_terms force row level security;
create policy token_terms_isolation on token_terms to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

alter table token_cvcs enable row level security;
alter table token_cvcs force row level security;
create policy token_cvcs_isolation on token_cvcs to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

alter table token_fingerprints enable row level security;
alter table token_fingerprints force row level security;
create policy token_fingerprints_isolation on token_fingerprints to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

alter table token_counts enable row level security;
alter table token_counts force row level security;
create policy token_counts_isolation on token_counts to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

grant select, insert, update, delete on tokens, token_terms, token_cvcs, token_fingerprints, token_counts to strongroom_app;
