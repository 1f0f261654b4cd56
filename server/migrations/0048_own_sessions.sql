-- Users see where they are signed in, and tell their passkeys apart. Rows of an earlier version have none of this.
alter table user_sessions add column source_address text;
alter table user_sessions add column browser text;
comment on column user_sessions.browser is 'One of a few names, such as "Firefox on Linux", and never the text that the browser sent.';
alter table user_passkeys add column name text;
comment on column user_passkeys.name is 'What its user calls it, shown to nobody else; null for a passkey of an earlier version.';
