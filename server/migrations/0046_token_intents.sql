-- Data that is kept for a day or two, until it becomes a token or is forgotten.
create table token_intents (
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  data bytea not null,
  cvc bytea,
  fingerprint text,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint token_intents_pkey primary key (tenant_id, id),
  constraint token_intents_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade
);
comment on column token_intents.data is 'Ciphertext: the data without a card verification code, under the data key of the tenant.';
comment on column token_intents.cvc is 'Ciphertext: the card verification code, under an epoch key that is never stored. A sweep removes it after an hour.';
comment on column token_intents.expires_at is 'From then on, the intent is invisible. A sweep removes it within the hour.';
create index token_intents_expiry on token_intents (tenant_id, expires_at);
create index token_intents_codes on token_intents (tenant_id, created_at) where cvc is not null;

alter table token_intents enable row level security;
alter table token_intents force row level security;
create policy token_intents_isolation on token_intents to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, delete on token_intents to strongroom_app;
-- Only re-encryption changes the data, and only a sweep removes the code.
grant update (data, cvc) on token_intents to strongroom_app;
