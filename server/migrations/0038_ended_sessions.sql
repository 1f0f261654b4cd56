-- A nonce does not say where its session was created: a script in a page of the shop can create one itself and hand over its nonce.
-- A session that a frame with card fields has created says so, and works in such frames only. A server of an earlier version leaves
-- it null, and `origin` in an authorization refuses its sessions.
alter table sessions add column origin text;
alter table sessions add constraint sessions_origin_known check (origin = 'elements') not valid;
alter table sessions validate constraint sessions_origin_known;
comment on column sessions.origin is 'The only origin that the session works on; null for one that works anywhere.';

-- Sessions are listed newest first. Anyone with a public key can create sessions, so those that were authorized have an index of
-- their own: however many others there are, they are found at once.
create index sessions_newest on sessions (tenant_id, created_at, id);
create index sessions_newest_authorized on sessions (tenant_id, created_at, id) where authorized_at is not null;
