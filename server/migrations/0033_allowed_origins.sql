-- Which pages may use the keys of a public application; null means that it has not been said, an empty list that none may. A
-- server of an earlier version neither reads nor changes it: it serves all pages.
alter table applications add column allowed_origins text[];
comment on column applications.allowed_origins is 'Origins as browsers spell them: scheme, host, and port unless it is the default. Null: no list.';
