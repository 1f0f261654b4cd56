-- Key pairs with which clients encrypt data before they send it. The private half never leaves the vault.
create table client_keys (
  tenant_id uuid not null,
  id uuid not null,
  public_key text not null,
  private_key bytea not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint client_keys_pkey primary key (tenant_id, id),
  constraint client_keys_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade
);
comment on column client_keys.public_key is 'The X25519 public key as clients get it, between PEM lines.';
comment on column client_keys.private_key is 'PKCS #8 as base64, encrypted with the data key of the tenant.';
comment on column client_keys.created_by is 'The application or user that created the key; null for an operator.';
comment on column client_keys.expires_at is 'From then on, the key decrypts nothing. A sweep removes it within the hour.';
create index client_keys_expiry on client_keys (tenant_id, expires_at);

alter table client_keys enable row level security;
alter table client_keys force row level security;
create policy client_keys_isolation on client_keys to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, delete on client_keys to strongroom_app;
-- Only re-encryption changes a key.
grant update (private_key) on client_keys to strongroom_app;
