-- Answers to requests that carried an idempotency key, so that a repetition gets the same answer and does nothing again.
-- A row begins as a claim: whoever inserts it does the work. It belongs to nobody again once `expires_at` has passed,
-- which is soon for a claim (its server may have died) and a day for an answer.
create table idempotency_results (
  tenant_id uuid not null,
  key_hash bytea not null,
  claim_id uuid not null,
  is_answered boolean not null default false,
  sealed bytea,
  expires_at timestamptz(3) not null,
  constraint idempotency_results_pkey primary key (tenant_id, key_hash),
  constraint idempotency_results_claim_is_empty check (is_answered or sealed is null)
);
comment on column idempotency_results.key_hash is 'Keyed hash (128 bits of HMAC-SHA-256) of application, operation and idempotency key.';
comment on column idempotency_results.sealed is 'Ciphertext: status, header fields and body of the answer, bound to tenant and key_hash; null in a claim, and for an answer too large to keep.';
create index idempotency_results_expiring on idempotency_results (tenant_id, expires_at);

alter table idempotency_results enable row level security;
alter table idempotency_results force row level security;
create policy idempotency_results_isolation on idempotency_results to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

grant select, insert, update, delete on idempotency_results to strongroom_app;
