-- Who may call a stored proxy, in addition to knowing its key.
alter table stored_proxies
  add column allowed_sources text[] not null default '{}',
  add column caller_check jsonb;
comment on column stored_proxies.allowed_sources is 'The networks that calls may come from. Any, if there are none.';
comment on column stored_proxies.caller_check is 'The header that proves who calls, and the name of the secret in the configuration.';
grant select (version, allowed_sources) on stored_proxies to strongroom_system;

-- Card fields look up the public half of a client key before its tenant is known.
create policy client_keys_system on client_keys for select to strongroom_system using (true);
grant select (tenant_id, id, public_key, expires_at) on client_keys to strongroom_system;
