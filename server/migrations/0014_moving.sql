-- Moving data in and out: imports that can be resumed, and exports that people approve.

-- What an operator brings in at the command line was made by no application.
alter table tokens alter column created_by drop not null;
comment on column tokens.created_by is 'The application that made the token; null where an operator imported it.';

-- How far an import of a file has come. It moves in the transaction that writes the tokens, so that an import which was
-- killed goes on exactly where it stopped.
create table token_imports (
  tenant_id uuid not null,
  source bytea not null,
  settings bytea not null,
  position bigint not null default 0,
  line bigint not null default 0,
  imported bigint not null default 0,
  rejected bigint not null default 0,
  started_at timestamptz(3) not null default now(),
  moved_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint token_imports_pkey primary key (tenant_id, source),
  constraint token_imports_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade
);
comment on column token_imports.source is 'Keyed hash of the whole file: a plain one could be tried against guessed contents.';
comment on column token_imports.settings is 'Keyed hash of what the file was read with: its format and its map.';
comment on column token_imports.position is 'Bytes of the file that are dealt with; always the end of a record.';
comment on column token_imports.line is 'Lines of the file that are dealt with.';

alter table token_imports enable row level security;
alter table token_imports force row level security;
create policy token_imports_isolation on token_imports to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, update on token_imports to strongroom_app;

-- A session of a link proves that an operator made a link. One can also set up a way to sign in, so what counts is how long
-- that has been there.
alter table user_sessions add column proven_since timestamptz(3);
comment on column user_sessions.proven_since is 'When the passkey, password or provider that the session began with was set up; null for a link.';

-- Wishes to take the tokens of a tenant out, in plaintext for whoever has the recipient's key. Each is approved by people and
-- run once.
create table token_exports (
  tenant_id uuid not null,
  id uuid not null,
  recipient_kind text not null,
  recipient text not null,
  fingerprint text not null,
  token_type text,
  container text,
  requested_from text not null,
  approvals_needed smallint not null,
  requested_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  refused_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  tokens bigint,
  constraint token_exports_pkey primary key (tenant_id, id),
  constraint token_exports_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint token_exports_recipient_kind_known check (recipient_kind in ('age', 'pgp')),
  constraint token_exports_recipient_length check (char_length(recipient) <= 65536),
  constraint token_exports_ends_once check (refused_at is null or started_at is null)
);
comment on column token_exports.recipient is 'Public: an age recipient, or an OpenPGP key in armor.';
comment on column token_exports.requested_from is 'Account and machine that the operator asked from, as the machine says; proven by nothing.';
create index token_exports_newest on token_exports (tenant_id, requested_at desc);

create table token_export_approvals (
  tenant_id uuid not null,
  export_id uuid not null,
  user_id uuid not null,
  approved_at timestamptz(3) not null default now(),
  constraint token_export_approvals_pkey primary key (tenant_id, export_id, user_id),
  constraint token_export_approvals_export_fkey foreign key (tenant_id, export_id)
    references token_exports (tenant_id, id) on delete cascade
);

alter table token_exports enable row level security;
alter table token_exports force row level security;
create policy token_exports_isolation on token_exports to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table token_export_approvals enable row level security;
alter table token_export_approvals force row level security;
create policy token_export_approvals_isolation on token_export_approvals to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
-- An approval that was given is never changed; what was asked for is neither.
grant select, insert on token_exports, token_export_approvals to strongroom_app;
grant update (refused_at, started_at, finished_at, tokens) on token_exports to strongroom_app;
