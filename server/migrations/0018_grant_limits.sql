-- What a management application may hand out to others; null means everything.
alter table applications add column grant_limit jsonb;
alter table applications add constraint applications_grant_limit_fits
  check (grant_limit is null or (type = 'management' and jsonb_typeof(grant_limit) = 'object'));
comment on column applications.grant_limit is 'Permissions, containers and transform that a management application may give to other applications. Null: no limit.';
