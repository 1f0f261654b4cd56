-- A session ends with the key that authorized it: revoking a key deletes its row, and with it the sessions. A session that a server of
-- an earlier version authorizes has no key here. It ends with its application, and within a day.
alter table sessions add column authorized_key uuid;
comment on column sessions.authorized_key is 'The key of the application authorized_by with which the session was authorized.';
alter table sessions add constraint sessions_authorizing_key_fkey foreign key (tenant_id, authorized_key)
  references application_keys (tenant_id, id) on delete cascade;
create index sessions_of_authorizing_key on sessions (tenant_id, authorized_key) where authorized_key is not null;
