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
