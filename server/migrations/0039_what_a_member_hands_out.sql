-- On whose authority an application has its rights, and a key was issued. Moving ownership and deleting the tenant take the owner's or
-- the operator's, in both places. A server of an earlier version leaves the columns empty, which is the authority of an admin.
alter table applications
  add column granted_as text,
  add column granted_by uuid,
  add constraint applications_granted_as_known check (granted_as in ('OPERATOR', 'OWNER', 'ADMIN'));
comment on column applications.granted_as is 'Whose authority gave the application its rights; null is that of an admin.';
comment on column applications.granted_by is 'The member whose authority it was. An owner''s ends when the member is no longer the owner.';

alter table application_keys
  add column granted_as text,
  add column granted_by uuid,
  add constraint application_keys_granted_as_known check (granted_as in ('OPERATOR', 'OWNER', 'ADMIN'));
comment on column application_keys.granted_as is 'Whose authority issued the key; null is that of an admin.';
comment on column application_keys.granted_by is 'The member whose authority it was. Management keys end with the member''s right to issue them.';
create index application_keys_granted_by on application_keys (tenant_id, granted_by) where granted_by is not null;

alter table invitations add column granted_by uuid;
comment on column invitations.granted_by is 'The member on whose authority it was sent, also through an application; null for the operator. It ends with that right.';

-- What exists already has the authority of its author: of whoever created it, and of whoever changed it last. Anything that somebody
-- other than the owner or the operator may have had a hand in has the authority of an admin.
alter table applications no force row level security;
alter table application_keys no force row level security;
alter table members no force row level security;
do $$
declare
  changed_applications integer;
  changed_keys integer;
begin
  -- Authors who are, or were, members, and applications that are gone: nobody knows any more on whose behalf those acted.
  create temporary table authors on commit drop as
    select a.tenant_id, a.id as target, author.id as author, false as is_key
      from applications a, unnest(array[a.created_by, a.modified_by]) as author (id) where author.id is not null
    union all
    select tenant_id, id, created_by, true from application_keys where created_by is not null;
  create temporary table lesser on commit drop as
    select distinct o.tenant_id, o.target, o.is_key from authors o
      where not exists (select from members m where m.tenant_id = o.tenant_id and m.user_id = o.author and m.role = 'OWNER')
        and not exists (select from applications a where a.tenant_id = o.tenant_id and a.id = o.author);
  -- Whatever an application has made may be the work of any of its keys.
  loop
    insert into lesser
      select distinct o.tenant_id, o.target, o.is_key from authors o
        where not exists (select from lesser l where l.tenant_id = o.tenant_id and l.target = o.target and l.is_key = o.is_key)
          and exists (select from lesser l left join application_keys k on k.tenant_id = l.tenant_id and k.id = l.target
            where l.tenant_id = o.tenant_id and o.author = case when l.is_key then k.application_id else l.target end);
    get diagnostics changed_applications = row_count;
    exit when changed_applications = 0;
  end loop;
  update applications a set granted_as = 'ADMIN',
      granted_by = (select m.user_id from members m where m.tenant_id = a.tenant_id and m.user_id = coalesce(a.modified_by, a.created_by))
    from lesser l where not l.is_key and l.tenant_id = a.tenant_id and l.target = a.id;
  update application_keys k set granted_as = 'ADMIN',
      granted_by = (select m.user_id from members m where m.tenant_id = k.tenant_id and m.user_id = k.created_by)
    from lesser l where l.is_key and l.tenant_id = k.tenant_id and l.target = k.id;

  -- All that is left goes back to the owner or the operator, directly or through applications.
  update applications set granted_as = 'OPERATOR' where granted_as is null and created_by is null and modified_by is null;
  update application_keys set granted_as = 'OPERATOR' where granted_as is null and created_by is null;
  update applications a set granted_as = 'OWNER', granted_by = m.user_id
    from members m where m.tenant_id = a.tenant_id and m.user_id in (a.created_by, a.modified_by) and a.granted_as is null;
  update application_keys k set granted_as = 'OWNER', granted_by = m.user_id
    from members m where m.tenant_id = k.tenant_id and m.user_id = k.created_by and k.granted_as is null;
  loop
    update applications a set granted_as = z.granted_as, granted_by = z.granted_by from applications z
      where z.tenant_id = a.tenant_id and z.id = coalesce(a.modified_by, a.created_by) and a.granted_as is null and z.granted_as is not null;
    get diagnostics changed_applications = row_count;
    update application_keys k set granted_as = z.granted_as, granted_by = z.granted_by from applications z
      where z.tenant_id = k.tenant_id and z.id = k.created_by and k.granted_as is null and z.granted_as is not null;
    get diagnostics changed_keys = row_count;
    exit when changed_applications + changed_keys = 0;
  end loop;
end
$$;
alter table applications force row level security;
alter table application_keys force row level security;
alter table members force row level security;

-- A deleted tenant is refused at once. It is removed seven days later, or when its owner confirms that by its name.
alter table tenants
  add column deleted_at timestamptz(3),
  add column deleted_by uuid;
comment on column tenants.deleted_at is 'When the tenant was deleted; null if it was not. Its keys and data are kept for seven days.';
comment on column tenants.deleted_by is 'The member or application that deleted it; null for the operator.';
create index tenants_deleted on tenants (deleted_at) where deleted_at is not null;
-- Members see which of their tenants are deleted.
grant select (deleted_at) on tenants to strongroom_portal;
