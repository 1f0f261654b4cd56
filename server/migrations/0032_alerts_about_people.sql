-- Alerts about people who are signed in, besides those about keys. A worker of an earlier version raises none of these.
alter table audit_alerts add column is_user boolean not null default false;
comment on column audit_alerts.is_user is 'Whether key_id is the id of a user instead of a key.';
comment on column audit_watched.key_id is 'Id of a key, or of a user who is signed in; no id is both.';
