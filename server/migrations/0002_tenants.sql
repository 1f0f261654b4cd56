create table tenants (
  id uuid not null,
  name text not null,
  type text not null,
  settings jsonb not null default '{}',
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint tenants_pkey primary key (id),
  constraint tenants_type_known check (type in ('test', 'production')),
  constraint tenants_name_length check (char_length(name) between 1 and 200)
);

create table users (
  id uuid not null,
  email text,
  first_name text,
  last_name text,
  picture text,
  created_at timestamptz(3) not null default now(),
  constraint users_pkey primary key (id)
);
create unique index users_email_key on users (lower(email));

create table members (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  role text not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint members_pkey primary key (tenant_id, id),
  constraint members_user_key unique (tenant_id, user_id),
  constraint members_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint members_user_fkey foreign key (user_id) references users (id),
  constraint members_role_known check (role in ('OWNER', 'ADMIN', 'READ_ONLY'))
);
-- One owner a tenant, whatever two writers do at the same time.
create unique index members_owner_key on members (tenant_id) where role = 'OWNER';

alter table tenants enable row level security;
alter table tenants force row level security;
create policy tenants_isolation on tenants to strongroom_app
  using (id = current_tenant_id()) with check (id = current_tenant_id());
create policy tenants_system on tenants for select to strongroom_system using (true);

alter table members enable row level security;
alter table members force row level security;
create policy members_isolation on members to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

-- A user belongs to no tenant; a tenant sees those who are its members, and may add new ones.
alter table users enable row level security;
alter table users force row level security;
create policy users_of_tenant on users for select to strongroom_app
  using (exists (select from members where members.user_id = users.id and members.tenant_id = current_tenant_id()));
create policy users_join on users for insert to strongroom_app with check (true);

grant select, insert, update, delete on tenants, members to strongroom_app;
grant select, insert on users to strongroom_app;
grant select on tenants to strongroom_system;
