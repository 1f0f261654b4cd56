-- Retention: rules that say how long tokens are kept, and legal holds that keep them regardless.

create table retention_rules (
  tenant_id uuid not null,
  id uuid not null,
  container text,
  type text,
  keep_for_days integer,
  unused_for_days integer,
  never_longer_days integer,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  effective_at timestamptz(3),
  constraint retention_rules_pkey primary key (tenant_id, id),
  constraint retention_rules_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint retention_rules_say_something check (coalesce(keep_for_days, unused_for_days, never_longer_days) is not null),
  constraint retention_rules_days check (least(keep_for_days, unused_for_days, never_longer_days) > 0)
);
comment on column retention_rules.container is 'The rule is about this container and everything in it; null for every container.';
comment on column retention_rules.created_by is 'The application or user who created it.';
comment on column retention_rules.effective_at is 'From when the rule removes tokens; null until it is approved.';

create table legal_holds (
  tenant_id uuid not null,
  id uuid not null,
  reason text not null,
  container text,
  type text,
  token_id text,
  metadata_key text,
  metadata_value text,
  terms bytea[],
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  ends_at timestamptz(3),
  lifted_at timestamptz(3),
  lifted_by uuid,
  constraint legal_holds_pkey primary key (tenant_id, id),
  constraint legal_holds_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint legal_holds_metadata_whole check ((metadata_key is null) = (metadata_value is null) and (metadata_key is null) = (terms is null))
);
comment on column legal_holds.terms is 'The terms under which tokens with this metadata are listed, as in tokens.terms.';
comment on column legal_holds.lifted_at is 'When the hold was lifted before its end.';

alter table tokens add column last_use_at timestamptz(3);
comment on column tokens.last_use_at is 'The last use that a sweep has found in the log. Null if none has looked yet. Only sweeps write it.';

-- When the rules of a tenant were last applied to all of its tokens.
create table retention_sweeps (
  tenant_id uuid not null,
  swept_at timestamptz(3) not null,
  use_swept_at timestamptz(3),
  constraint retention_sweeps_pkey primary key (tenant_id),
  constraint retention_sweeps_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade
);

alter table retention_rules enable row level security;
alter table retention_rules force row level security;
create policy retention_rules_isolation on retention_rules to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table legal_holds enable row level security;
alter table legal_holds force row level security;
create policy legal_holds_isolation on legal_holds to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table retention_sweeps enable row level security;
alter table retention_sweeps force row level security;
create policy retention_sweeps_isolation on retention_sweeps to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, delete on retention_rules to strongroom_app;
grant update (effective_at) on retention_rules to strongroom_app;
grant select, insert on legal_holds to strongroom_app;
grant update (lifted_at, lifted_by) on legal_holds to strongroom_app;
grant select, insert, update on retention_sweeps to strongroom_app;

create trigger retention_rules_announce after insert or update or delete on retention_rules
  for each row execute function announce_change('tenant_id');

alter table approval_requests drop constraint approval_requests_kind_known;
alter table approval_requests add constraint approval_requests_kind_known
  check (kind in ('application', 'key', 'role', 'invitation', 'settings', 'retention_rule', 'legal_hold', 'erasure')) not valid;
alter table approval_requests validate constraint approval_requests_kind_known;
