-- Four eyes for plaintext. With the setting approve_plaintext, what would widen access to plaintext waits here until enough owners
-- and admins have approved it. Until then the tables that decide about access hold what is in force, so a server of an earlier
-- version does not let through what is pending.
create table approval_requests (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  application_id uuid,
  change jsonb not null,
  basis text not null,
  requested_by uuid not null,
  requested_key uuid,
  approvals_needed smallint not null,
  requested_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by uuid,
  outcome text,
  constraint approval_requests_pkey primary key (tenant_id, id),
  constraint approval_requests_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint approval_requests_kind_known check (kind in ('application', 'key', 'role', 'invitation', 'settings')),
  constraint approval_requests_outcome_known check (outcome in ('approved', 'refused', 'expired', 'stale')),
  constraint approval_requests_decided check ((decided_at is null) = (outcome is null)),
  constraint approval_requests_needs_some check (approvals_needed between 1 and 2)
);
comment on column approval_requests.subject_id is 'The application, key, member, invitation or tenant that would change.';
comment on column approval_requests.application_id is 'The application that a key belongs to.';
comment on column approval_requests.change is 'What would be put into force. Never a secret.';
comment on column approval_requests.basis is 'SHA-256 of what was in force when this was requested: an approval of something else counts for nothing.';
comment on column approval_requests.requested_key is 'The key of the application that requested it; null for a member.';
comment on column approval_requests.decided_by is 'The member whose approval or refusal ended it; null if it expired or no longer applied.';
-- One pending request for each subject: a later one takes its place.
create unique index approval_requests_pending on approval_requests (tenant_id, kind, subject_id) where outcome is null;
create index approval_requests_newest on approval_requests (tenant_id, requested_at desc, id desc);
create index approval_requests_of_subject on approval_requests (tenant_id, subject_id, requested_at desc);

create table approval_votes (
  tenant_id uuid not null,
  request_id uuid not null,
  user_id uuid not null,
  approved_at timestamptz(3) not null default now(),
  constraint approval_votes_pkey primary key (tenant_id, request_id, user_id),
  constraint approval_votes_request_fkey foreign key (tenant_id, request_id)
    references approval_requests (tenant_id, id) on delete cascade
);

alter table approval_requests enable row level security;
alter table approval_requests force row level security;
create policy approval_requests_isolation on approval_requests to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table approval_votes enable row level security;
alter table approval_votes force row level security;
create policy approval_votes_isolation on approval_votes to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
-- What was requested is never changed, and neither is an approval that was given.
grant select, insert, delete on approval_requests to strongroom_app;
grant update (decided_at, decided_by, outcome) on approval_requests to strongroom_app;
grant select, insert on approval_votes to strongroom_app;

-- A new application has no rights until it is approved; this says why, to those who use its keys.
alter table applications add column awaits_approval boolean not null default false;
comment on column applications.awaits_approval is 'Whether it was created and its rights have not been approved yet.';
-- The hash in secret_hash is of a secret that nobody has until the key is approved. A server of an earlier version reads only that one.
alter table application_keys add column pending_hash bytea;
comment on column application_keys.pending_hash is 'The hash that secret_hash gets when the key is approved; null for a key in force.';
alter table invitations add column approved_at timestamptz(3);
comment on column invitations.approved_at is 'When owners and admins approved it, if the tenant demands that.';
