-- When a member last signed in, and how members can: what somebody who manages them needs to see.
alter table users add column last_signed_in_at timestamptz(3);
comment on column users.last_signed_in_at is 'Null for somebody who has not signed in since there is this column, unless a session was still there.';
alter table users no force row level security;
alter table user_sessions no force row level security;
update users set last_signed_in_at = last.at
  from (select user_id, max(created_at) as at from user_sessions group by user_id) last where last.user_id = users.id;
alter table users force row level security;
alter table user_sessions force row level security;

-- Whichever server or version starts a session.
create function note_sign_in() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  update users set last_signed_in_at = new.created_at where id = new.user_id;
  return null;
end
$$;

-- How a member of the tenant at hand can sign in, in kinds only. With the rights of the portal's role, since no other sees what
-- people sign in with; nothing about somebody who is not a member.
create function sign_in_ways(member_user uuid) returns text[]
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select array_remove(array[
      case when exists (select from user_passkeys p where p.user_id = m.user_id) then 'passkey' end,
      case when exists (select from user_passwords p where p.user_id = m.user_id) then 'password' end,
      case when exists (select from user_identities i where i.user_id = m.user_id) then 'provider' end], null)
    from members m where m.tenant_id = current_tenant_id() and m.user_id = member_user
$$;

grant create on schema public to strongroom_portal;
alter function note_sign_in() owner to strongroom_portal;
alter function sign_in_ways(uuid) owner to strongroom_portal;
revoke create on schema public from strongroom_portal;
revoke execute on function note_sign_in() from public;
revoke execute on function sign_in_ways(uuid) from public;
grant execute on function sign_in_ways(uuid) to strongroom_app;

create trigger user_sessions_noted after insert on user_sessions for each row execute function note_sign_in();
